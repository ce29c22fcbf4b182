//! Deadlines have their own timers and wait for nobody.

use crate::support::{Reply, Script, World, json, options, thrown};
use pawl_core::ErrorCode;
use pawl_core::run::RunView;
use pawl_runtime::AbortReason;
use serde_json::json as value;

#[tokio::test]
async fn an_attempt_that_is_too_late_is_aborted_and_tried_again_and_what_it_says_later_is_ignored() {
    let world = World::new();
    let retry = value!({ "maxAttempts": 2, "backoffMs": 1_000, "jitter": false });
    let nodes = value!([{ "scope": "", "name": "slow", "kind": "step", "timeoutMs": 300, "retry": retry }]);
    let (flow, probe) = (world.flow("slow", nodes).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.hold("slow");
    let worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    let first = script.start("slow", 1).await;
    assert_eq!(first.deadline_at, Some(crate::support::START.plus(300)));
    world.clock.advance(300);
    assert_eq!(script.abort_of(&first).await, AbortReason::TimedOut);
    assert_eq!(worker.health().running, []);
    script.finish(&first, json("\"too late\""));
    world.settle(&probe).await;

    world.clock.advance(1_000);
    let second = script.start("slow", 2).await;
    assert_eq!(second.attempt, 2);
    script.finish(&first, json("\"far too late\""));
    script.finish(&second, json("\"in time\""));
    assert_eq!(world.output("run").await, "\"in time\"");
}

#[tokio::test]
async fn a_step_that_is_too_late_for_the_last_time_fails_its_run() {
    let world = World::new();
    let nodes = value!([{ "scope": "", "name": "slow", "kind": "step", "timeoutMs": 300 }]);
    let flow = world.flow("slow", nodes).await;
    let script = Script::new();
    script.hold("slow");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    script.start("slow", 1).await;
    world.clock.advance(300);
    match world.end("run").await {
        RunView::Failed(failure) => {
            assert_eq!((failure.code, failure.path), (ErrorCode::StepTimeout, Some("slow".into())));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_hung_attempt_costs_one_slot_and_nothing_else() {
    let world = World::new();
    let (hung, probe) = (world.steps("hung", &["hung"]).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.hold("hung");
    let mut two_slots = options(&[&hung, &probe]);
    two_slots.concurrency = 2;
    let worker = world.worker(two_slots, &script).await;
    world.start(&hung, "run").await;
    script.start("hung", 1).await;
    for _ in 0..50 {
        world.settle(&probe).await;
    }
    assert_eq!(worker.health().running.len(), 1);
}

#[tokio::test]
async fn a_run_that_is_too_late_ends_even_if_its_steps_hold_every_slot() {
    let world = World::new();
    let nodes = value!([{ "scope": "", "name": "hung", "kind": "step", "retry": { "maxAttempts": 9 } }]);
    let flow = world.register(value!({ "name": "late", "deadlineMs": 5_000, "nodes": nodes })).await;
    let script = Script::new();
    script.hold("hung");
    let mut one_slot = options(&[&flow]);
    one_slot.concurrency = 1;
    let _worker = world.worker(one_slot, &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("hung", 1).await;
    world.clock.advance(5_000);
    assert_eq!(script.abort_of(&attempt).await, AbortReason::RunEnded);
    match world.end("run").await {
        RunView::Failed(failure) => assert_eq!(failure.code, ErrorCode::RunDeadline),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_sleeping_run_that_is_too_late_ends_while_it_sleeps() {
    let world = World::new();
    let nodes = value!([{ "scope": "", "name": "nap", "kind": "delay", "forMs": 60_000 }]);
    let flow = world.register(value!({ "name": "late", "deadlineMs": 5_000, "nodes": nodes })).await;
    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    world.clock.advance(5_000);
    assert!(matches!(world.end("run").await, RunView::Failed(_)));
}

#[tokio::test]
async fn a_failed_step_waits_for_its_back_off_and_counts_its_attempts() {
    let world = World::new();
    let retry = value!({ "maxAttempts": 3, "backoffMs": 200, "factor": 2.0, "jitter": false });
    let nodes = value!([{ "scope": "", "name": "flaky", "kind": "step", "retry": retry }]);
    let (flow, probe) = (world.flow("flaky", nodes).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.on("flaky", |attempt| match attempt.attempt {
        3 => Reply::Return(json("3")),
        _ => Reply::Throw(thrown("not yet")),
    });
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    for (starts, wait_ms) in [(1, 200), (2, 400)] {
        script.start("flaky", starts).await;
        world.settle(&probe).await;
        world.clock.advance(wait_ms - 1);
        world.settle(&probe).await;
        assert_eq!(script.starts("flaky"), starts);
        world.clock.advance(1);
    }
    assert_eq!(world.output("run").await, "3");
}

#[tokio::test]
async fn a_failure_without_attempts_left_ends_the_run_and_keeps_what_was_thrown() {
    let world = World::new();
    let flow = world.steps("work", &["broken", "never"]).await;
    let script = Script::new();
    script.on("broken", |_| Reply::Throw(thrown("no such card")));
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    world.end("run").await;
    let status = world.engine.status("run".into()).await.unwrap();
    assert_eq!(status.payload, Some(json("\"no such card\"")));
    assert_eq!(script.paths(), ["broken"]);
}
