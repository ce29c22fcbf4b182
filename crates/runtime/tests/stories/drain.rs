//! Stopping: in good order, in bounded time, however the steps and the store behave.

use crate::support::{Fault, Script, World, json, options, soon};
use pawl_core::ErrorCode;
use pawl_core::run::RunView;
use pawl_runtime::{Abandoned, AbortReason, HealthState};
use std::sync::Arc;
use tokio::sync::Notify;

const LONG_MS: i64 = 3_600_000;

#[tokio::test]
async fn steps_that_finish_during_the_drain_are_stored_and_their_successors_left_to_others() {
    let world = World::new();
    let flow = world.steps("work", &["step", "next"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    let stop = tokio::spawn({
        let worker = worker.clone();
        async move { worker.stop(LONG_MS).await }
    });
    script.healthy(&worker, "it stops", |health| health.state == HealthState::Stopping).await;
    world.start(&flow, "too late for this worker").await;
    script.finish(&attempt, json("2"));
    assert_eq!(soon("the drain", stop).await.unwrap(), []);
    assert_eq!(worker.health().state, HealthState::Stopped);
    assert_eq!(script.paths(), ["step"]);
    assert_eq!(world.store.count("hand_back"), 0, "what is not kept need not be given back");

    let other = Script::new();
    let _other = world.worker(options(&[&flow]), &other).await;
    assert_eq!(world.output("run").await, "2");
    assert_eq!(other.starts("next"), 1 + other.starts("step"));
}

#[tokio::test]
async fn attempts_that_outlast_the_drain_are_aborted_named_and_given_back() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    let abandoned = soon("the stop", worker.stop(0)).await;
    assert_eq!(abandoned, [Abandoned { run_id: "run".into(), path: "step".into(), attempt: 1 }]);
    assert_eq!(script.abort_of(&attempt).await, AbortReason::Drained);

    let other = Script::new();
    let _other = world.worker(options(&[&flow]), &other).await;
    assert_eq!(other.start("step", 1).await.attempt, 2);
    assert_eq!(world.output("run").await, "1");
}

#[tokio::test]
async fn claims_that_arrive_during_the_stop_are_given_back_uncounted() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    world.start(&flow, "run").await;
    let heard = Arc::new(Notify::new());
    world.store.break_next("claim", [Fault::Delay(heard.clone())]);
    let script = Script::new();
    let worker = world.worker(options(&[&flow]), &script).await;
    world.store.asked("claim", 1).await;
    let stop = tokio::spawn({
        let worker = worker.clone();
        async move { worker.stop(LONG_MS).await }
    });
    script.healthy(&worker, "it stops", |health| health.state == HealthState::Stopping).await;
    heard.notify_one();
    assert_eq!(soon("the stop", stop).await.unwrap(), []);
    assert_eq!(script.starts("step"), 0);

    let other = Script::new();
    let _other = world.worker(options(&[&flow]), &other).await;
    assert_eq!(other.start("step", 1).await.attempt, 1);
}

#[tokio::test]
async fn stopping_twice_is_stopping_once_and_the_shorter_drain_holds() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    script.start("step", 1).await;
    let patient = worker.stop(LONG_MS);
    let hasty = worker.stop(0);
    let (patient, hasty) = soon("both stops", async { tokio::join!(patient, hasty) }).await;
    assert_eq!(patient, hasty);
    assert_eq!(worker.stop(LONG_MS).await, hasty);
}

#[tokio::test]
async fn a_stop_ends_even_if_the_store_is_away_or_silent() {
    for silent in [false, true] {
        let world = World::new();
        let flow = world.steps("work", &["step"]).await;
        let script = Script::new();
        script.hold("step");
        let worker = world.worker(options(&[&flow]), &script).await;
        world.start(&flow, "run").await;
        script.start("step", 1).await;
        if silent {
            world.store.break_next("hand_back", [Fault::Hang]);
            world.store.break_next("close_session", [Fault::Hang]);
        } else {
            world.store.set_away(true);
        }
        let abandoned = soon("the stop", worker.stop(0)).await;
        assert_eq!(abandoned.len(), 1);
        assert_eq!(worker.health().state, HealthState::Stopped);
    }
}

#[tokio::test]
async fn dropping_the_last_handle_stops_the_worker() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    drop(worker);
    assert_eq!(script.abort_of(&attempt).await, AbortReason::Drained);
}

#[tokio::test]
async fn closing_an_engine_stops_its_workers_and_ends_its_waits() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    script.start("step", 1).await;
    let waiter = world.waiter("run").await;

    soon("the close", world.engine.close()).await;
    assert_eq!(worker.health().state, HealthState::Stopped);
    assert_eq!(soon("the waiter", waiter).await.unwrap().unwrap_err().code, ErrorCode::Closed);
    assert_eq!(world.engine.status("run".into()).await.unwrap_err().code, ErrorCode::Closed);
    soon("the second close", world.engine.close()).await;
}

#[tokio::test]
async fn a_store_that_is_closed_under_a_worker_ends_the_worker() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.base.close().await.unwrap();
    script.finish(&attempt, json("2"));
    soon("the end of the worker", worker.ended()).await;
    assert_eq!(worker.health().last_error.unwrap().code, ErrorCode::Closed);
}

#[tokio::test]
async fn a_paused_step_that_is_drained_is_given_back_too() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.pause("run").await;
    script.abort_of(&attempt).await;
    assert_eq!(worker.stop(0).await.len(), 1);
    assert!(matches!(world.view("run").await, RunView::Paused { .. }));
}
