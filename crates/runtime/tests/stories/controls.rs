//! Cancel and pause act at once, in every phase of a run.

use crate::support::{Fault, Reply, Script, World, json, options, thrown};
use pawl_core::ErrorCode;
use pawl_core::run::{Control, RunView};
use pawl_runtime::{AbortReason, Attempt, WorkerOptions};
use pawl_store::OnConflict;
use serde_json::json as value;
use std::sync::Arc;
use tokio::sync::Notify;
use tokio::task::JoinSet;

fn cancelled() -> RunView {
    RunView::Cancelled { reason: Some("no stock".into()), by: Some("ops".into()) }
}

#[tokio::test]
async fn a_cancelled_run_that_was_queued_never_starts() {
    let world = World::new();
    let (flow, probe) = (world.steps("work", &["step"]).await, world.steps("probe", &["probe"]).await);
    world.start(&flow, "run").await;
    world.cancel("run").await;
    let script = Script::new();
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.settle(&probe).await;
    assert_eq!(script.paths(), ["probe"]);
    assert_eq!(world.end("run").await, cancelled());
}

#[tokio::test]
async fn a_cancelled_run_that_slept_or_waited_is_over_at_once_and_stays_so() {
    let world = World::new();
    let sleepy = value!([
        { "scope": "", "name": "nap", "kind": "delay", "forMs": 3_600_000 },
        { "scope": "", "name": "work", "kind": "step" },
    ]);
    let waiting = value!([
        { "scope": "", "name": "ok", "kind": "signal", "signal": "ok", "timeoutMs": 3_600_000, "continueOnTimeout": true },
        { "scope": "", "name": "work", "kind": "step" },
    ]);
    let (sleepy, waiting) = (world.flow("sleepy", sleepy).await, world.flow("waiting", waiting).await);
    let probe = world.steps("probe", &["probe"]).await;
    let script = Script::new();
    let _worker = world.worker(options(&[&sleepy, &waiting, &probe]), &script).await;
    world.start(&sleepy, "sleeps").await;
    world.start(&waiting, "waits").await;
    for id in ["sleeps", "waits"] {
        world.cancel(id).await;
        assert_eq!(world.view(id).await, cancelled());
    }
    world.clock.advance(3_600_001);
    world.settle(&probe).await;
    assert_eq!(script.starts("work"), 0);
}

#[tokio::test]
async fn a_run_cancelled_between_two_attempts_has_no_second_one() {
    let world = World::new();
    let nodes =
        value!([{ "scope": "", "name": "work", "kind": "step", "retry": { "maxAttempts": 9, "backoffMs": 600_000 } }]);
    let (flow, probe) = (world.flow("flaky", nodes).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.on("work", |_| Reply::Throw(thrown("not today")));
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    script.start("work", 1).await;
    world.settle(&probe).await;
    world.cancel("run").await;
    world.clock.advance(600_001);
    world.settle(&probe).await;
    assert_eq!(script.starts("work"), 1);
    assert_eq!(world.view("run").await, cancelled());
}

#[tokio::test]
async fn a_running_attempt_of_a_cancelled_run_is_aborted_with_the_reason_and_frees_its_slot() {
    let world = World::new();
    let (flow, probe) = (world.steps("work", &["step", "next"]).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.hold("step");
    let mut one_slot = options(&[&flow, &probe]);
    one_slot.concurrency = 1;
    let worker = world.worker(one_slot, &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.cancel("run").await;
    assert_eq!(script.abort_of(&attempt).await, AbortReason::Cancelled { reason: Some("no stock".into()) });
    world.settle(&probe).await;
    assert_eq!(worker.health().running, []);

    script.finish(&attempt, json("\"too late\""));
    world.settle(&probe).await;
    assert_eq!(world.view("run").await, cancelled());
    assert_eq!(script.starts("next"), 0);
}

#[tokio::test]
async fn a_paused_run_can_be_cancelled() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    world.start(&flow, "run").await;
    world.pause("run").await;
    world.cancel("run").await;
    assert_eq!(world.end("run").await, cancelled());
    let again = world.engine.control("run".into(), Control::Resume { by: None }).await;
    assert_eq!(again.unwrap_err().code, ErrorCode::RunEnded);
}

#[tokio::test]
async fn the_step_in_flight_of_a_paused_run_keeps_its_result_and_nothing_new_starts_until_it_is_resumed() {
    let world = World::new();
    let (flow, probe) = (world.steps("work", &["step", "next"]).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.hold("step");
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.pause("run").await;
    assert_eq!(script.abort_of(&attempt).await, AbortReason::Paused);
    script.finish(&attempt, json("2"));
    world.settle(&probe).await;
    assert_eq!(world.view("run").await, RunView::Paused { reason: None, by: None });
    assert_eq!(script.starts("next"), 0);

    world.resume("run").await;
    assert_eq!(world.output("run").await, "2");
    assert_eq!((script.starts("step"), script.starts("next")), (1, 1));
}

#[tokio::test]
async fn a_step_that_gives_up_because_of_a_pause_has_not_failed() {
    let world = World::new();
    let (flow, probe) = (world.steps("work", &["step"]).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    script.hold("step");
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.pause("run").await;
    script.abort_of(&attempt).await;
    script.fail(&attempt, thrown("aborted"));
    world.settle(&probe).await;
    assert_eq!(world.view("run").await, RunView::Paused { reason: None, by: None });

    world.resume("run").await;
    let second = script.start("step", 2).await;
    script.finish(&second, json("3"));
    assert_eq!(world.output("run").await, "3");
}

#[tokio::test]
async fn a_paused_run_whose_last_step_in_flight_succeeds_completes() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.pause("run").await;
    script.finish(&attempt, json("2"));
    assert_eq!(world.output("run").await, "2");
}

#[tokio::test]
async fn a_sleep_that_ends_while_its_run_is_paused_ends_silently() {
    let world = World::new();
    let nodes = value!([
        { "scope": "", "name": "nap", "kind": "delay", "forMs": 60_000 },
        { "scope": "", "name": "work", "kind": "step" },
    ]);
    let (flow, probe) = (world.flow("sleepy", nodes).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    world.pause("run").await;
    world.clock.advance(60_001);
    world.settle(&probe).await;
    assert_eq!(script.starts("work"), 0);
    world.resume("run").await;
    assert_eq!(world.output("run").await, "1");
}

/// The claim is granted, and the run stopped, before the worker hears of either.
#[tokio::test]
async fn a_claim_that_was_on_its_way_when_its_run_was_stopped_is_not_started() {
    for pause in [true, false] {
        let world = World::new();
        let (flow, probe) = (world.steps("work", &["step"]).await, world.steps("probe", &["probe"]).await);
        world.start(&flow, "run").await;
        let heard = Arc::new(Notify::new());
        world.store.break_next("claim", [Fault::Delay(heard.clone())]);
        let script = Script::new();
        let _worker = world.worker(options(&[&flow, &probe]), &script).await;
        world.store.asked("claim", 1).await;
        if pause {
            world.pause("run").await
        } else {
            world.cancel("run").await
        }
        heard.notify_one();
        world.settle(&probe).await;
        assert_eq!(script.starts("step"), 0, "pause: {pause}");
        if pause {
            world.resume("run").await;
            assert_eq!(world.output("run").await, "1");
        }
    }
}

#[tokio::test]
async fn a_cancel_and_a_pause_in_another_process_reach_running_attempts_here() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "cancelled").await;
    let first = script.start("step", 1).await;
    world.start(&flow, "paused").await;
    let second = script.start("step", 2).await;

    let neighbour = world.neighbour();
    neighbour.cancel("cancelled").await;
    neighbour.pause("paused").await;
    world.store.foreign_change();
    assert_eq!(script.abort_of(&first).await, AbortReason::Cancelled { reason: Some("no stock".into()) });
    assert_eq!(script.abort_of(&second).await, AbortReason::Paused);
}

#[tokio::test]
async fn the_end_of_a_run_aborts_its_other_branches() {
    let world = World::new();
    let flow = world.fork("both", &["a", "b"], false).await;
    let script = Script::new();
    script.hold("a/work");
    script.hold("b/work");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let (a, b) = (script.start("a/work", 1).await, script.start("b/work", 1).await);
    script.fail(&a, thrown("broken"));
    assert_eq!(script.abort_of(&b).await, AbortReason::RunEnded);
    match world.end("run").await {
        RunView::Failed(failure) => assert_eq!(failure.path, Some("a/work".into())),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_start_that_replaces_a_run_aborts_its_attempts_and_answers_its_waiters() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let _worker = world.worker(options(&[&flow]), &script).await;
    let old = world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    let waiter = world.waiter("run").await;

    let new = world.try_start(&flow, "run", OnConflict::TerminateExisting).await.unwrap();
    assert_ne!(new.run, old.run);
    assert!(matches!(script.abort_of(&attempt).await, AbortReason::Cancelled { .. }));
    let seen = waiter.await.unwrap().unwrap();
    assert_eq!(seen.record.run, old.run);
    assert!(matches!(seen.view, RunView::Cancelled { .. }));
}

#[tokio::test]
async fn starts_that_replace_each_other_at_once_leave_no_attempt_of_a_replaced_run_alone() {
    let world = Arc::new(World::new());
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let many_slots = WorkerOptions { concurrency: 64, ..options(&[&flow]) };
    let _worker = world.worker(many_slots, &script).await;
    world.start(&flow, "run").await;
    script.start("step", 1).await;
    let mut replacing = JoinSet::new();
    for _ in 0..20 {
        let (world, flow) = (world.clone(), flow.clone());
        replacing.spawn(async move { world.try_start(&flow, "run", OnConflict::TerminateExisting).await.unwrap().run });
    }
    let newest = replacing.join_all().await.into_iter().max().unwrap();
    script
        .until("the older lives are told", |log| {
            let told = |attempt: &Attempt| log.aborted.iter().any(|(id, _)| *id == attempt.id);
            log.started.iter().all(|attempt| attempt.run == newest || told(attempt))
        })
        .await;
}

#[tokio::test]
async fn a_wish_that_makes_no_sense_is_refused_by_name() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let code = async |control: Control| world.engine.control("run".into(), control).await.unwrap_err().code;
    assert_eq!(code(Control::Resume { by: None }).await, ErrorCode::RunNotFound);
    world.start(&flow, "run").await;
    assert_eq!(code(Control::Resume { by: None }).await, ErrorCode::RunNotPaused);
    world.pause("run").await;
    assert_eq!(code(Control::Pause { reason: None, by: None }).await, ErrorCode::RunPaused);
    world.cancel("run").await;
    assert_eq!(code(Control::Cancel { reason: None, by: None }).await, ErrorCode::RunEnded);
}
