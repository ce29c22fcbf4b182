//! Faults in pawl itself are seen and leave nothing hanging.

use crate::support::{Fault, Script, World, json, options, soon};
use pawl_core::ErrorCode;
use pawl_runtime::{AbortReason, HealthState, WorkerEvent};

#[tokio::test]
async fn a_panic_stops_the_worker_loudly_and_others_take_over() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    script.hold("one");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run-0").await;
    let first = script.start("one", 1).await;
    world.start(&flow, "run-1").await;
    let second = script.start("one", 2).await;
    world.store.break_next("commit", [Fault::Panic]);
    script.finish(&first, json("2"));

    soon("the end of the worker", worker.ended()).await;
    assert_eq!(script.abort_of(&second).await, AbortReason::ClaimLost);
    script.event("the fault is told", |event| matches!(event, WorkerEvent::WorkerFailed { .. })).await;
    let health = worker.health();
    assert_eq!(health.state, HealthState::Stopped);
    let error = health.last_error.unwrap();
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(error.message.contains("the store fell over"), "{}", error.message);
    assert_eq!(soon("a stop after the end", worker.stop(1_000)).await, []);

    let other = Script::new();
    let _other = world.worker(options(&[&flow]), &other).await;
    assert_eq!(world.output("run-0").await, "1");
    assert_eq!(world.output("run-1").await, "1");
}
