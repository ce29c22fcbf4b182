//! Flows, starts and what readers are told.

use crate::support::{Reply, Script, World, json, options, thrown};
use pawl_core::{ErrorCode, HistoryKind};
use pawl_runtime::{Engine, StartRequest};
use pawl_store::{HistoryRecord, ListQuery, OnConflict, ResultRecord};
use serde_json::json as value;

#[tokio::test]
async fn a_definition_with_problems_is_refused_with_all_of_them() {
    let world = World::new();
    let nodes = value!([
        { "scope": "", "name": "a/b", "kind": "step" },
        { "scope": "nowhere", "name": "c", "kind": "step" },
    ]);
    let definition = value!({ "name": "broken", "nodes": nodes }).to_string();
    let error = world.engine.register(&definition).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::FlowInvalid);
    assert!(error.message.contains("a/b") && error.message.contains("nowhere"), "{}", error.message);
    for text in ["", "{", "[]", r#"{"name":"x"}"#] {
        assert_eq!(world.engine.register(text).await.unwrap_err().code, ErrorCode::FlowInvalid, "{text}");
    }
}

#[tokio::test]
async fn a_run_started_by_name_gets_the_definition_registered_last() {
    let world = World::new();
    let start = async |engine: &Engine, flow: &str, id: &str| {
        let request = StartRequest {
            flow: flow.into(),
            hash: None,
            id: id.into(),
            input: json("1"),
            on_conflict: OnConflict::Fail,
        };
        engine.start(request).await
    };
    assert_eq!(start(&world.engine, "work", "a").await.unwrap_err().code, ErrorCode::FlowUnknown);
    let old = world.steps("work", &["one"]).await;
    assert_eq!(start(&world.engine, "work", "a").await.unwrap().hash, old.hash);
    let new = world.neighbour().steps("work", &["one", "two"]).await;
    assert_eq!(start(&world.engine, "work", "b").await.unwrap().hash, new.hash);
}

#[tokio::test]
async fn an_id_in_use_is_refused_shared_or_replaced_as_the_caller_says() {
    let world = World::new();
    let (flow, other) = (world.steps("work", &["one"]).await, world.steps("other", &["one"]).await);
    let first = world.start(&flow, "run").await;
    let code = async |on_conflict| world.try_start(&flow, "run", on_conflict).await.map_err(|error| error.code);
    assert_eq!(code(OnConflict::Fail).await, Err(ErrorCode::RunExists));
    let shared = code(OnConflict::UseExisting).await.unwrap();
    assert_eq!((shared.run, shared.existing), (first.run, true));
    let replaced = code(OnConflict::TerminateExisting).await.unwrap();
    assert!(!replaced.existing && replaced.run != first.run);
    for on_conflict in [OnConflict::Fail, OnConflict::UseExisting, OnConflict::TerminateExisting] {
        let error = world.try_start(&other, "run", on_conflict).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::RunConflict);
    }
    assert_eq!(world.try_start(&flow, " ", OnConflict::Fail).await.unwrap_err().code, ErrorCode::Argument);
}

#[tokio::test]
async fn a_list_comes_in_pages_newest_first() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    for run in 0..5 {
        world.start(&flow, &format!("run-{run}")).await;
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = world.engine.list(ListQuery { before, limit: 2, ..ListQuery::default() }).await.unwrap();
        seen.extend(page.runs.iter().map(|run| run.record.id.to_string()));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["run-4", "run-3", "run-2", "run-1", "run-0"]);
}

#[tokio::test]
async fn the_result_of_any_node_can_be_read() {
    let world = World::new();
    let flow = world.steps("work", &["one", "two"]).await;
    let script = Script::new();
    script.on("one", |_| Reply::Return(json("11")));
    script.hold("two");
    let _worker = world.worker(options(&[&flow]), &script).await;
    let run = world.start(&flow, "run").await.run;
    script.start("two", 1).await;
    let output = async |path: &str| world.engine.output(run, path.into()).await.unwrap();
    assert_eq!(output("").await, Some(json("1")));
    assert_eq!(output("one").await, Some(json("11")));
    assert_eq!(output("two").await, None);
}

#[tokio::test]
async fn the_history_of_a_completed_run_ends_with_its_completion() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let script = Script::new();
    world.start(&flow, "run").await;
    let completions = async || {
        let history = world.engine.history("run".into()).await.unwrap();
        let is_completion = |line: &HistoryRecord| kind(line) == Some(HistoryKind::Completed);
        (history.iter().filter(|line| is_completion(line)).count(), history.last().is_some_and(is_completion))
    };
    assert_eq!(completions().await, (0, false));
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.end("run").await;
    assert_eq!(completions().await, (1, true));
}

fn kind(line: &HistoryRecord) -> Option<HistoryKind> {
    match &line.entry {
        ResultRecord::Event(event) => Some(event.kind),
        ResultRecord::Result { .. } => None,
    }
}

#[tokio::test]
async fn explain_says_what_moves_a_run_next_or_why_nothing_does() {
    let world = World::new();
    let retry = value!({ "maxAttempts": 2, "backoffMs": 500, "jitter": false });
    let nodes = value!([
        { "scope": "", "name": "work", "kind": "step", "retry": retry },
        { "scope": "", "name": "nap", "kind": "delay", "forMs": 2_000 },
        { "scope": "", "name": "ok", "kind": "signal", "signal": "go" },
    ]);
    let (flow, probe) = (world.flow("mixed", nodes).await, world.steps("probe", &["probe"]).await);
    world.start(&flow, "run").await;
    let summary = async || world.engine.explain("run".into()).await.unwrap().summary;
    assert_eq!(summary().await, "\"work\" is due and waits for a worker that knows this flow.");
    let script = Script::new();
    script.hold("work");
    let _worker = world.worker(options(&[&flow, &probe]), &script).await;
    let first = script.start("work", 1).await;
    assert_eq!(summary().await, "\"work\" is being worked on by the worker \"ada\", attempt 1.");
    script.fail(&first, thrown("no"));
    world.settle(&probe).await;
    assert_eq!(summary().await, "\"work\" failed once and is tried again in 500ms.");
    world.clock.advance(500);
    let second = script.start("work", 2).await;
    script.finish(&second, json("1"));
    world.settle(&probe).await;
    assert_eq!(summary().await, "\"nap\" sleeps for another 2s.");
    world.clock.advance(2_000);
    world.settle(&probe).await;
    assert_eq!(summary().await, "\"ok\" awaits the signal \"go\", without a timeout.");
    world.pause("run").await;
    assert_eq!(summary().await, "Paused; only resume() or cancel() moves it.");
    world.cancel("run").await;
    assert_eq!(summary().await, "Cancelled by ops (no stock); nothing will move it any more.");
}

#[tokio::test]
async fn options_out_of_range_are_refused() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    for (concurrency, claim_ttl_ms, event_loop_budget_ms) in [(0, 1_000, 1_000), (1, 99, 1_000), (1, 1_000, 0)] {
        let mut wrong = options(&[&flow]);
        (wrong.concurrency, wrong.claim_ttl_ms) = (concurrency, claim_ttl_ms);
        wrong.event_loop_budget_ms = event_loop_budget_ms;
        let error = world.engine.worker(wrong, Script::new()).await.err().unwrap();
        assert_eq!(error.code, ErrorCode::Option);
    }
}
