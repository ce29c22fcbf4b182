//! Signals are messages: stored, in order, each read once.

use crate::support::{Script, World, json, options};
use pawl_core::ErrorCode;
use pawl_core::flow::Flow;
use pawl_core::run::RunView;
use serde_json::json as value;
use std::sync::Arc;

async fn asks(world: &World, timeout: serde_json::Value) -> Arc<Flow> {
    let mut signal = value!({ "scope": "", "name": "approval", "kind": "signal", "signal": "ok" });
    signal.as_object_mut().unwrap().extend(timeout.as_object().unwrap().clone());
    world.flow("asks", value!([{ "scope": "", "name": "before", "kind": "step" }, signal])).await
}

#[tokio::test]
async fn a_signal_that_comes_before_anybody_waits_for_it_is_there_when_somebody_does() {
    let world = World::new();
    let flow = asks(&world, value!({})).await;
    let script = Script::new();
    script.hold("before");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let before = script.start("before", 1).await;
    assert!(!world.signal("run", "ok", json("\"yes\"")).await);
    script.finish(&before, json("1"));
    assert_eq!(world.output("run").await, "\"yes\"");
}

#[tokio::test]
async fn a_signal_wakes_the_run_that_waits_for_it() {
    let world = World::new();
    let (flow, probe) = (asks(&world, value!({})).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    script.start("before", 1).await;
    world.settle(&probe).await;
    assert!(matches!(world.view("run").await, RunView::AwaitingSignal { .. }));
    world.signal("run", "ok", json("\"yes\"")).await;
    assert_eq!(world.output("run").await, "\"yes\"");
}

#[tokio::test]
async fn a_signal_from_another_process_wakes_the_run_here() {
    let world = World::new();
    let (flow, probe) = (asks(&world, value!({})).await, world.steps("probe", &["probe"]).await);
    let script = Script::new();
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    script.start("before", 1).await;
    world.settle(&probe).await;
    world.neighbour().signal("run", "ok", json("\"yes\"")).await;
    world.store.foreign_change();
    assert_eq!(world.output("run").await, "\"yes\"");
}

#[tokio::test]
async fn a_wait_without_a_message_fails_or_goes_on_as_the_flow_says() {
    for (timeout, goes_on) in
        [(value!({ "timeoutMs": 5_000 }), false), (value!({ "timeoutMs": 5_000, "continueOnTimeout": true }), true)]
    {
        let world = World::new();
        let (flow, probe) = (asks(&world, timeout).await, world.steps("probe", &["probe"]).await);
        let script = Script::new();
        let _worker = world.worker(options(&[&flow, &probe]), &script).await;
        world.start(&flow, "run").await;
        script.start("before", 1).await;
        world.settle(&probe).await;
        world.clock.advance(5_000);
        match world.end("run").await {
            RunView::Completed { output: Some(output) } if goes_on => assert_eq!(output, json(r#"{"timedOut":true}"#)),
            RunView::Failed(failure) if !goes_on => assert_eq!(failure.code, ErrorCode::SignalTimeout),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_message_that_came_while_the_run_was_paused_beats_the_timeout_that_passed_meanwhile() {
    let world = World::new();
    let flow = asks(&world, value!({ "timeoutMs": 5_000 })).await;
    let probe = world.steps("probe", &["probe"]).await;
    let script = Script::new();
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    world.start(&flow, "run").await;
    script.start("before", 1).await;
    world.settle(&probe).await;
    world.pause("run").await;
    world.signal("run", "ok", json("\"in time\"")).await;
    world.clock.advance(6_000);
    world.resume("run").await;
    assert_eq!(world.output("run").await, "\"in time\"");
}

#[tokio::test]
async fn a_key_makes_a_repeated_delivery_harmless() {
    let world = World::new();
    let flow = asks(&world, value!({})).await;
    world.start(&flow, "run").await;
    let send = async || world.engine.signal("run".into(), "ok", json("1"), Some("key".into())).await.unwrap();
    assert_eq!((send().await, send().await), (false, true));
}

#[tokio::test]
async fn a_name_that_the_flow_never_awaits_is_refused_with_those_it_does() {
    let world = World::new();
    let flow = asks(&world, value!({})).await;
    world.start(&flow, "run").await;
    let error = world.engine.signal("run".into(), "okay", json("1"), None).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Argument);
    assert_eq!(error.message, r#"The flow "asks" awaits no signal "okay"; it awaits "ok""#);
}

#[tokio::test]
async fn a_run_that_is_unknown_or_over_takes_no_signals() {
    let world = World::new();
    let flow = asks(&world, value!({})).await;
    let send = async || world.engine.signal("run".into(), "ok", json("1"), None).await.unwrap_err().code;
    assert_eq!(send().await, ErrorCode::RunNotFound);
    world.start(&flow, "run").await;
    world.cancel("run").await;
    assert_eq!(send().await, ErrorCode::RunEnded);
}
