//! `run` and `resume`: one run, driven in this process, with the rules of a worker.

use crate::support::{Fault, Reply, Script, World, json, options, soon, thrown};
use pawl_core::flow::Flow;
use pawl_core::run::RunView;
use pawl_core::{ErrorCode, Payload};
use pawl_runtime::{EngineError, RunStatus};
use pawl_store::OnConflict;
use serde_json::json as value;
use std::sync::Arc;
use tokio::sync::Notify;

async fn drive(world: &World, flow: &Arc<Flow>, id: &str, script: &Arc<Script>) -> Result<RunStatus, EngineError> {
    soon("the runner comes to rest", world.engine.drive(id.into(), options(&[flow]), script.clone())).await
}

#[tokio::test]
async fn a_run_is_driven_to_its_end() {
    let world = World::new();
    let flow = world.fork("wide", &["a", "b"], true).await;
    let script = Script::new();
    let status = world.run_here(&flow, "run", &script).await.unwrap();
    assert_eq!(status.view, RunView::Completed { output: Some(json(r#"{"a":1,"b":1}"#)) });
    assert_eq!(script.ids().len(), 3);
}

#[tokio::test]
async fn a_run_is_started_already_claimed() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let (worker_script, script) = (Script::new(), Script::new());
    let _worker = world.worker(options(&[&flow]), &worker_script).await;
    world.run_here(&flow, "run", &script).await.unwrap();
    assert_eq!((script.starts("one"), worker_script.starts("one")), (1, 0));
}

#[tokio::test]
async fn a_delay_parks_and_a_later_resume_goes_on() {
    let world = World::new();
    let nodes = value!([
        { "scope": "", "name": "before", "kind": "step" },
        { "scope": "", "name": "nap", "kind": "delay", "forMs": 60_000 },
        { "scope": "", "name": "after", "kind": "step" },
    ]);
    let flow = world.flow("sleepy", nodes).await;
    let script = Script::new();
    let status = world.run_here(&flow, "run", &script).await.unwrap();
    assert!(matches!(status.view, RunView::Waiting { .. }));
    let status = drive(&world, &flow, "run", &script).await.unwrap();
    assert!(matches!(status.view, RunView::Waiting { .. }), "still too early");
    world.clock.advance(60_000);
    let status = drive(&world, &flow, "run", &script).await.unwrap();
    assert_eq!(status.view, RunView::Completed { output: Some(json("1")) });
    assert_eq!(script.paths(), ["before", "after"]);
}

#[tokio::test]
async fn a_message_that_comes_while_the_runner_looks_for_more_to_do_is_not_left_behind() {
    let world = Arc::new(World::new());
    let nodes = value!([
        { "scope": "", "name": "before", "kind": "step" },
        { "scope": "", "name": "ok", "kind": "signal", "signal": "ok" },
        { "scope": "", "name": "after", "kind": "step" },
    ]);
    let flow = world.flow("asks", nodes).await;
    let script = Script::new();
    script.hold("after");
    let told = Arc::new(Notify::new());
    world.store.break_next("run", [Fault::Delay(told.clone())]);
    let running = tokio::spawn({
        let (world, flow, script) = (world.clone(), flow.clone(), script.clone());
        async move { world.run_here(&flow, "run", &script).await.unwrap() }
    });
    world.store.asked("run", 1).await;
    world.signal("run", "ok", json("7")).await;
    let after = script.start("after", 1).await;
    let claims = world.store.count("claim");
    told.notify_one();
    world.store.foreign_change();
    world.store.asked("claim", claims + 1).await;
    script.finish(&after, json("8"));
    assert_eq!(running.await.unwrap().view, RunView::Completed { output: Some(json("8")) });
    assert_eq!((script.starts("after"), script.abort_count()), (1, 0));
}

#[tokio::test]
async fn a_signal_parks_and_a_later_resume_finds_the_message() {
    let world = World::new();
    let flow = world.flow("asks", value!([{ "scope": "", "name": "ok", "kind": "signal", "signal": "ok" }])).await;
    let script = Script::new();
    let status = world.run_here(&flow, "run", &script).await.unwrap();
    assert!(matches!(status.view, RunView::AwaitingSignal { .. }));
    world.signal("run", "ok", json("7")).await;
    let status = drive(&world, &flow, "run", &script).await.unwrap();
    assert_eq!(status.payload, Some(json("7")));
}

#[tokio::test]
async fn a_back_off_is_waited_for_in_this_process() {
    let world = World::new();
    let retry = value!({ "maxAttempts": 2, "backoffMs": 60_000, "jitter": false });
    let flow = world.flow("flaky", value!([{ "scope": "", "name": "one", "kind": "step", "retry": retry }])).await;
    let script = Script::new();
    script.on("one", |attempt| match attempt.attempt {
        1 => Reply::Throw(thrown("not yet")),
        _ => Reply::Return(json("2")),
    });
    let clock = world.clock.clone();
    let store = world.store.clone();
    let time = tokio::spawn(async move {
        // The runner looks at the run when it has nothing to do; then time may pass.
        store.asked("run", 1).await;
        clock.advance(60_000);
    });
    let status = world.run_here(&flow, "run", &script).await.unwrap();
    time.await.unwrap();
    assert_eq!(status.payload, Some(json("2")));
}

#[tokio::test]
async fn a_run_that_is_over_or_paused_is_only_looked_at() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    world.start(&flow, "paused").await;
    world.pause("paused").await;
    assert!(matches!(drive(&world, &flow, "paused", &script).await.unwrap().view, RunView::Paused { .. }));
    world.start(&flow, "cancelled").await;
    world.cancel("cancelled").await;
    assert!(matches!(drive(&world, &flow, "cancelled", &script).await.unwrap().view, RunView::Cancelled { .. }));
    assert_eq!(drive(&world, &flow, "unknown", &script).await.unwrap_err().code, ErrorCode::RunNotFound);
    assert_eq!((script.ids().len(), world.store.count("claim")), (0, 0));
}

#[tokio::test]
async fn a_run_of_another_shape_is_refused_before_anything_is_claimed() {
    let world = World::new();
    let (old, new) = (world.steps("work", &["one"]).await, world.steps("work", &["one", "two"]).await);
    world.start(&old, "run").await;
    let script = Script::new();
    let error = drive(&world, &new, "run", &script).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::FlowMismatch);
    for part in ["mismatch", old.hash.as_str(), new.hash.as_str()] {
        assert!(error.message.contains(part), "{part}: {}", error.message);
    }
    let error = world.run_here(&new, "run", &script).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::FlowMismatch);
    assert_eq!((script.ids().len(), world.store.count("claim")), (0, 0));
}

#[tokio::test]
async fn a_run_of_a_flow_that_is_not_here_is_refused_by_the_name_of_the_flow() {
    let world = World::new();
    let (work, other) = (world.steps("work", &["one"]).await, world.steps("other", &["one"]).await);
    world.start(&work, "run").await;
    let script = Script::new();
    let error = drive(&world, &other, "run", &script).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::FlowUnknown);
    assert!(error.message.contains("\"work\""), "{}", error.message);
    assert_eq!((script.ids().len(), world.store.count("claim")), (0, 0));
}

/// A runner that has found all work of its run in the hands of a worker of `there`.
async fn left_to_others(world: &World, there: &World, flow: &Arc<Flow>) -> (Arc<Script>, Arc<Script>, Drive) {
    let (worker_script, script) = (Script::new(), Script::new());
    worker_script.hold("one");
    let worker = there.worker(options(&[flow]), &worker_script).await;
    world.start(flow, "run").await;
    worker_script.start("one", 1).await;
    let asked = world.store.count("run");
    let (engine, options, runner_script) = (world.engine.clone(), options(&[flow]), script.clone());
    let runner = tokio::spawn(async move {
        let status = engine.drive("run".into(), options, runner_script).await;
        drop(worker);
        status
    });
    // Once to find the run, once to see that nothing of it is left to do here.
    world.store.asked("run", asked + 2).await;
    (worker_script, script, runner)
}

type Drive = tokio::task::JoinHandle<Result<RunStatus, EngineError>>;

async fn finish_one(script: &Script) {
    let held = script.start("one", 1).await;
    script.finish(&held, Payload::json("1"));
}

#[tokio::test]
async fn a_run_that_others_work_on_is_left_to_them_and_waited_for() {
    let world = World::new();
    let flow = world.steps("work", &["one", "two"]).await;
    let (worker_script, script, runner) = left_to_others(&world, &world, &flow).await;
    finish_one(&worker_script).await;
    let status = soon("the runner comes to rest", runner).await.unwrap().unwrap();
    assert!(matches!(status.view, RunView::Completed { .. }), "{:?}", status.view);
    assert_eq!(script.ids().len(), 0);
}

#[tokio::test]
async fn a_run_that_others_park_lets_its_runner_rest() {
    let world = World::new();
    let nodes = value!([{ "scope": "", "name": "one", "kind": "step" }, { "scope": "", "name": "ok", "kind": "signal", "signal": "ok" }]);
    let flow = world.flow("work", nodes).await;
    let (worker_script, _script, runner) = left_to_others(&world, &world, &flow).await;
    finish_one(&worker_script).await;
    let status = soon("the runner comes to rest", runner).await.unwrap().unwrap();
    assert!(matches!(status.view, RunView::AwaitingSignal { .. }), "{:?}", status.view);
}

#[tokio::test]
async fn a_run_that_another_process_ends_lets_its_runner_rest() {
    let world = World::new();
    let there = world.neighbour();
    world.store.link(&there.store);
    let flow = world.steps("work", &["one"]).await;
    let (worker_script, _script, runner) = left_to_others(&world, &there, &flow).await;
    finish_one(&worker_script).await;
    let status = soon("the runner comes to rest", runner).await.unwrap().unwrap();
    assert!(matches!(status.view, RunView::Completed { .. }), "{:?}", status.view);
}

#[tokio::test]
async fn twenty_resumes_at_once_run_every_step_once() {
    let world = World::new();
    let flow = world.steps("work", &["one", "two", "three"]).await;
    world.start(&flow, "run").await;
    let scripts: Vec<Arc<Script>> = (0..20).map(|_| Script::new()).collect();
    let mut drives = Vec::new();
    for script in &scripts {
        let (engine, options, script) = (world.engine.clone(), options(&[&flow]), script.clone());
        drives.push(tokio::spawn(async move { engine.drive("run".into(), options, script).await }));
    }
    for drive in drives {
        let status = soon("a runner comes to rest", drive).await.unwrap().unwrap();
        assert!(matches!(status.view, RunView::Completed { .. }), "{:?}", status.view);
    }
    assert_eq!(world.output("run").await, "1");
    for step in ["one", "two", "three"] {
        assert_eq!(scripts.iter().map(|script| script.starts(step)).sum::<usize>(), 1, "{step}");
    }
}

#[tokio::test]
async fn a_cancel_ends_the_runner_at_once() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    script.hold("one");
    let (engine, runner_script, runner_flow) = (world.engine.clone(), script.clone(), flow.clone());
    world.start(&flow, "run").await;
    let runner = tokio::spawn(async move { engine.drive("run".into(), options(&[&runner_flow]), runner_script).await });
    script.start("one", 1).await;
    world.cancel("run").await;
    let status = soon("the runner comes to rest", runner).await.unwrap().unwrap();
    assert!(matches!(status.view, RunView::Cancelled { .. }));
}

#[tokio::test]
async fn a_start_that_replaces_a_run_ends_its_runner_though_nobody_works_on_the_new_life() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    script.hold("one");
    let (engine, runner_script, runner_flow) = (world.engine.clone(), script.clone(), flow.clone());
    let old = world.start(&flow, "run").await;
    let runner = tokio::spawn(async move { engine.drive("run".into(), options(&[&runner_flow]), runner_script).await });
    script.start("one", 1).await;
    world.try_start(&flow, "run", OnConflict::TerminateExisting).await.unwrap();
    let status = soon("the runner comes to rest", runner).await.unwrap().unwrap();
    assert_eq!(status.record.run, old.run);
    assert!(matches!(status.view, RunView::Cancelled { .. }), "{:?}", status.view);
    assert_eq!(world.view("run").await, RunView::Running);
    assert_eq!(script.starts("one"), 1);
}

/// Every ending, in both ways of running.
#[tokio::test]
async fn a_runner_and_a_worker_bring_a_run_to_the_same_end() {
    type Rule = fn(&pawl_runtime::Attempt) -> Reply;
    let endings: [Rule; 3] = [
        |attempt| Reply::Return(attempt.input.clone()),
        |_| Reply::Throw(thrown("broken")),
        |_| Reply::Return(Payload { codec: 1, bytes: r#"{"$t":"undefined"}"#.into() }),
    ];
    for ending in endings {
        let world = World::new();
        let nodes = value!([
            { "scope": "", "name": "all", "kind": "fork", "branches": ["a", "b"], "join": true },
            { "scope": "a", "name": "work", "kind": "step" },
            { "scope": "b", "name": "nap", "kind": "delay", "forMs": 0 },
            { "scope": "b", "name": "work", "kind": "step" },
            { "scope": "", "name": "last", "kind": "step" },
        ]);
        let flow = world.flow("both", nodes).await;
        let script = Script::new();
        script.on("last", ending);
        let here = world.run_here(&flow, "here", &script).await.unwrap();
        let worker = world.worker(options(&[&flow]), &script).await;
        world.start(&flow, "there").await;
        world.end("there").await;
        let there = world.engine.status("there".into()).await.unwrap();
        assert_eq!((here.view, here.payload), (there.view, there.payload));
        let lines = async |id: &str| {
            let mut lines: Vec<String> =
                world.engine.history(id.into()).await.unwrap().iter().map(|line| format!("{:?}", line.entry)).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines("here").await, lines("there").await);
        worker.stop(0).await;
    }
}
