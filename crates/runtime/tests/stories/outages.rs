//! A store that fails, loses answers or stays away: nothing is lost, nothing runs twice, and the worker tells the truth.

use crate::support::{Fault, Reply, Script, World, json, options, soon, thrown};
use pawl_core::ErrorCode;
use pawl_core::run::RunView;
use pawl_runtime::{HealthState, WorkerEvent};
use serde_json::json as value;
use std::sync::Arc;
use tokio::sync::Notify;

#[tokio::test]
async fn a_result_that_could_not_be_stored_is_stored_later_and_its_step_runs_once() {
    let world = World::new();
    let flow = world.steps("work", &["one", "two"]).await;
    let script = Script::new();
    world.store.break_next("commit", [Fault::Fail, Fault::Fail, Fault::Fail]);
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    assert_eq!(world.output("run").await, "1");
    assert_eq!(script.paths(), ["one", "two"]);
}

#[tokio::test]
async fn a_failure_that_could_not_be_stored_is_stored_later_and_counts_once() {
    let world = World::new();
    let retry = value!({ "maxAttempts": 2, "backoffMs": 0, "jitter": false });
    let flow = world.flow("shaky", value!([{ "scope": "", "name": "one", "kind": "step", "retry": retry }])).await;
    let script = Script::new();
    script.on("one", |_| Reply::Throw(thrown("no")));
    world.store.break_next("commit", [Fault::Fail, Fault::LoseAnswer, Fault::Fail]);
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    match world.end("run").await {
        RunView::Failed(failure) => assert_eq!((failure.code, failure.attempt), (ErrorCode::StepFailed, 2)),
        other => panic!("{other:?}"),
    }
    assert_eq!(script.paths(), ["one", "one"]);
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_not_done_twice_and_its_kept_successor_is_found_again() {
    for lost in 1..=3 {
        let world = World::new();
        let flow = world.steps("work", &["one", "two", "three"]).await;
        let script = Script::new();
        world.store.break_next("commit", vec![Fault::LoseAnswer; lost]);
        let _worker = world.worker(options(&[&flow]), &script).await;
        world.start(&flow, "run").await;
        assert_eq!(world.output("run").await, "1");
        assert_eq!(script.paths(), ["one", "two", "three"]);
    }
}

#[tokio::test]
async fn claims_whose_answer_was_lost_are_found_again() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    world.store.break_next("claim", [Fault::LoseAnswer]);
    for run in 0..3 {
        world.start(&flow, &format!("run-{run}")).await;
    }
    let _worker = world.worker(options(&[&flow]), &script).await;
    for run in 0..3 {
        assert_eq!(world.output(&format!("run-{run}")).await, "1");
    }
    assert_eq!(script.starts("one"), 3);
}

#[tokio::test]
async fn the_end_of_a_run_whose_commit_got_no_answer_is_still_pushed() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    script.hold("one");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("one", 1).await;
    let waiter = world.waiter("run").await;
    world.store.break_next("commit", [Fault::LoseAnswer]);
    script.finish(&attempt, json("2"));
    assert_eq!(soon("the result", waiter).await.unwrap().unwrap().payload, Some(json("2")));
}

#[tokio::test]
async fn a_worker_whose_store_is_away_says_so_and_says_when_it_is_back() {
    let world = World::new();
    let flow = world.steps("work", &["one", "two"]).await;
    let script = Script::new();
    script.hold("one");
    let worker = world.worker(options(&[&flow]), &script).await;
    for run in 0..5 {
        world.start(&flow, &format!("run-{run}")).await;
    }
    script.start("one", 5).await;
    world.store.set_away(true);
    let succeeded = |id| (id, pawl_runtime::AttemptOutcome::Succeeded(json("2")));
    for id in script.ids() {
        script.deliver(vec![succeeded(id)]);
    }
    script.event("the outage is told", |event| matches!(event, WorkerEvent::StoreFailed { .. })).await;
    let health = worker.health();
    assert_eq!(health.state, HealthState::Degraded);
    assert_eq!(health.last_error.unwrap().code, ErrorCode::StoreUnavailable);
    assert_eq!(script.starts("two"), 0);

    world.store.asked("commit", 4).await;
    world.store.set_away(false);
    for run in 0..5 {
        assert_eq!(world.output(&format!("run-{run}")).await, "2");
    }
    script.event("the end is told", |event| *event == WorkerEvent::StoreRecovered).await;
    assert_eq!(worker.health().state, HealthState::Ok);
    assert_eq!(script.starts("one"), 5);
    assert_eq!(script.events(|event| matches!(event, WorkerEvent::StoreFailed { .. })), 1);
}

#[tokio::test]
async fn a_turn_that_the_store_can_never_take_keeps_nobody_else_waiting() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    script.hold("one");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "poison").await;
    let poison = script.start("one", 1).await;
    world.start(&flow, "good").await;
    let good = script.start("one", 2).await;
    // Together they are refused; alone, the first of them is refused for ever.
    world.store.refuse_commits_of(poison.run);
    let succeeded = |id| (id, pawl_runtime::AttemptOutcome::Succeeded(json("2")));
    script.deliver(vec![succeeded(poison.id), succeeded(good.id)]);
    assert_eq!(world.output("good").await, "2");
    let health = worker.health();
    assert_eq!(health.running.len(), 0);
    assert!(health.last_error.is_some());
}

#[tokio::test]
async fn nothing_is_acknowledged_that_is_not_stored() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    world.store.break_next("start", [Fault::Fail]);
    let error = world.try_start(&flow, "run", Default::default()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::StoreUnavailable);
    assert_eq!(world.engine.status("run".into()).await.unwrap_err().code, ErrorCode::RunNotFound);
}

#[tokio::test]
async fn a_wait_for_a_result_outlasts_an_outage() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    script.hold("one");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("one", 1).await;
    let waiter = world.waiter("run").await;
    world.store.break_next("run", [Fault::Fail, Fault::Fail]);
    script.finish(&attempt, json("2"));
    assert_eq!(soon("the result", waiter).await.unwrap().unwrap().payload, Some(json("2")));
}

/// Every kind of call fails now and then, with and without having been done.
#[tokio::test]
async fn a_store_that_fails_at_random_loses_nothing_and_doubles_nothing() {
    let world = World::new();
    let branches = ["a", "b", "c"];
    let flow = world.fork("wide", &branches, true).await;
    let script = Script::new();
    script.on("a/work", |_| Reply::Return(json("\"a\"")));
    let mut few = options(&[&flow]);
    few.concurrency = 4;
    for call in ["claim", "commit", "hand_back", "results", "held", "check_claims"] {
        let fault = |turn: usize| if turn.is_multiple_of(2) { Fault::LoseAnswer } else { Fault::Fail };
        world.store.break_next(call, (0..6).map(fault));
    }
    let _worker = world.worker(few, &script).await;
    for run in 0..20 {
        world.start(&flow, &format!("run-{run}")).await;
    }
    for run in 0..20 {
        assert_eq!(world.output(&format!("run-{run}")).await, r#"{"a":"a","b":1,"c":1}"#);
    }
    for path in ["a/work", "b/work", "c/work", "all"] {
        assert_eq!(script.starts(path), 20, "{path}");
    }
}

#[tokio::test]
async fn a_claim_that_is_found_again_after_its_run_was_cancelled_is_not_started() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    let told = Arc::new(Notify::new());
    world.store.break_next("claim", [Fault::LoseAnswer]);
    world.store.break_next("held", [Fault::Delay(told.clone())]);
    world.start(&flow, "lost").await;
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.store.asked("held", 1).await;
    world.cancel("lost").await;
    told.notify_one();
    world.start(&flow, "next").await;
    assert_eq!(world.output("next").await, "1");
    assert_eq!(script.starts("one"), 1, "the cancelled run was started");
}

#[tokio::test]
async fn a_value_that_cannot_be_read_fails_its_run_and_no_other_waits_for_it() {
    let world = World::new();
    let flow = world.fork("wide", &["a", "b"], true).await;
    let script = Script::new();
    world.store.break_next("results", vec![Fault::Damage; 1_000]);
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    match world.end("run").await {
        RunView::Failed(failure) => assert_eq!(failure.code, ErrorCode::StoreCorrupt),
        other => panic!("{other:?}"),
    }
    assert_eq!(worker.health().state, HealthState::Ok);
    assert_eq!((script.starts("all"), script.events(|event| matches!(event, WorkerEvent::StoreFailed { .. }))), (0, 0));
}
