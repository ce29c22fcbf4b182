//! Runs go from their first node to their last.

use crate::support::{Reply, Script, World, json, options, text};
use pawl_core::run::RunView;
use serde_json::json as value;

#[tokio::test]
async fn a_chain_hands_each_output_to_the_next_step_and_the_last_one_is_the_result() {
    let world = World::new();
    let flow = world.steps("count", &["one", "two", "three"]).await;
    let script = Script::new();
    for step in ["one", "two", "three"] {
        script.on(step, |attempt| Reply::Return(json(&format!("{}1", text(&attempt.input)))));
    }
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    assert_eq!(world.output("run").await, "1111");
    assert_eq!(script.paths(), ["one", "two", "three"]);
    assert_eq!(worker.stop(0).await, []);
}

#[tokio::test]
async fn a_join_gets_the_outputs_of_its_branches_in_the_order_they_were_declared() {
    let world = World::new();
    let flow = world.fork("order", &["ship", "email"], true).await;
    let script = Script::new();
    script.hold("ship/work");
    script.on("email/work", |_| Reply::Return(json("\"sent\"")));
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let ship = script.start("ship/work", 1).await;
    script.finish(&ship, json("\"packed\""));
    assert_eq!(world.output("run").await, r#"{"ship":"packed","email":"sent"}"#);
    assert_eq!(script.starts("all"), 1);
}

#[tokio::test]
async fn a_fork_without_a_join_function_ends_in_the_object_of_its_outputs() {
    let world = World::new();
    let flow = world.fork("order", &["b", "a"], false).await;
    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    assert_eq!(world.output("run").await, r#"{"b":1,"a":1}"#);
    assert_eq!(script.starts("all"), 0);
}

#[tokio::test]
async fn a_delay_that_a_run_comes_to_on_its_way_wakes_it_without_being_asked_for() {
    let world = World::new();
    let nodes = value!([
        { "scope": "", "name": "before", "kind": "step" },
        { "scope": "", "name": "nap", "kind": "delay", "forMs": 60_000 },
    ]);
    let flow = world.flow("sleepy", nodes).await;
    let script = Script::new();
    script.hold("before");
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let before = script.start("before", 1).await;
    script.finish(&before, json("2"));
    world.viewed("run", |view| matches!(view, RunView::Waiting { .. })).await;
    world.clock.advance(60_000);
    assert_eq!(world.output("run").await, "2");
}

#[tokio::test]
async fn a_delay_sleeps_until_its_time_and_passes_its_input_on() {
    let world = World::new();
    let nodes = value!([
        { "scope": "", "name": "nap", "kind": "delay", "forMs": 60_000 },
        { "scope": "", "name": "work", "kind": "step" },
    ]);
    let flow = world.flow("sleepy", nodes).await;
    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    world.clock.advance(59_999);
    assert!(matches!(world.view("run").await, RunView::Waiting { .. }));
    assert_eq!(script.starts("work"), 0);
    world.clock.advance(1);
    assert_eq!(world.output("run").await, "1");
}
