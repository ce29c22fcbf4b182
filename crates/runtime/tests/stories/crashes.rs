//! Workers die, sessions are lost, and runs go on.

use crate::support::{Fault, Script, World, json, options, thrown};
use pawl_core::run::RunView;
use pawl_core::{ErrorCode, HistoryKind, SessionNo};
use pawl_runtime::{AbortReason, AttemptOutcome, HealthState, WorkerEvent, WorkerOptions};
use pawl_store::{Clock, ResultRecord, SessionSpec};
use serde_json::json as value;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

const TTL_MS: i64 = 20_000;

/// A process that the story lets die.
fn doomed() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Nothing of the process acts any more when this returns.
async fn dies(process: Runtime) {
    let death = tokio::task::spawn_blocking(move || process.shutdown_timeout(Duration::from_secs(20)));
    death.await.unwrap();
}

fn mortal(options: WorkerOptions) -> WorkerOptions {
    WorkerOptions { name: "mortal".into(), claim_ttl_ms: TTL_MS, ..options }
}

#[tokio::test]
async fn the_work_of_a_worker_that_died_is_taken_over_when_its_session_runs_out() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let runtime = doomed();
    let first = Script::new();
    first.hold("step");
    let neighbour = world.neighbour_on(runtime.handle());
    let lost = neighbour.worker(mortal(options(&[&flow])), &first).await;
    world.start(&flow, "run").await;
    neighbour.start(&flow, "wake up").await;
    first.start("step", 2).await;

    let second = Script::new();
    let _survivor = world.worker(options(&[&flow]), &second).await;
    dies(runtime).await;
    world.store.asked("reap", 1).await;
    world.clock.advance(TTL_MS - 1);
    assert_eq!(second.starts("step"), 0);
    world.clock.advance(1);
    assert_eq!(second.start("step", 1).await.attempt, 2);
    assert_eq!(world.output("run").await, "1");
    let history = world.engine.history("run".into()).await.unwrap();
    let lost_attempts = history
        .iter()
        .filter(|line| matches!(&line.entry, ResultRecord::Event(event) if event.kind == HistoryKind::AttemptLost))
        .count();
    assert_eq!(lost_attempts, 1);
    drop(lost);
}

#[tokio::test]
async fn an_attempt_that_was_too_late_when_its_worker_died_has_timed_out_and_does_not_run_again() {
    let world = World::new();
    let nodes = value!([{ "scope": "", "name": "slow", "kind": "step", "timeoutMs": 300 }]);
    let flow = world.flow("slow", nodes).await;
    let runtime = doomed();
    let first = Script::new();
    first.hold("slow");
    let neighbour = world.neighbour_on(runtime.handle());
    let lost = neighbour.worker(mortal(options(&[&flow])), &first).await;
    neighbour.start(&flow, "run").await;
    first.start("slow", 1).await;
    dies(runtime).await;
    drop(lost);

    world.clock.advance(TTL_MS);
    let second = Script::new();
    let _survivor = world.worker(options(&[&flow]), &second).await;
    match world.end("run").await {
        RunView::Failed(failure) => assert_eq!((failure.code, failure.attempt), (ErrorCode::StepTimeout, 1)),
        other => panic!("{other:?}"),
    }
    assert_eq!(second.starts("slow"), 0);
}

#[tokio::test]
async fn a_step_that_kills_every_worker_ends_its_run_after_a_few_of_them() {
    let world = World::new();
    let flow = world.steps("work", &["poison"]).await;
    world.start(&flow, "run").await;
    for death in 1..=5 {
        let runtime = doomed();
        let script = Script::new();
        script.hold("poison");
        let neighbour = world.neighbour_on(runtime.handle());
        let worker = neighbour.worker(mortal(options(&[&flow])), &script).await;
        assert_eq!(script.start("poison", 1).await.attempt, death);
        dies(runtime).await;
        drop(worker);
        world.clock.advance(TTL_MS);
    }
    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    match world.end("run").await {
        RunView::Failed(failure) => assert_eq!(failure.code, ErrorCode::StepCrashed),
        other => panic!("{other:?}"),
    }
    assert_eq!(script.starts("poison"), 0);
}

#[tokio::test]
async fn a_join_runs_once_however_two_workers_share_its_branches() {
    for round in 0..20 {
        let world = World::new();
        let branches: Vec<String> = (0..6).map(|branch| format!("b{branch}")).collect();
        let names: Vec<&str> = branches.iter().map(String::as_str).collect();
        let flow = world.fork("wide", &names, true).await;
        let scripts = [Script::new(), Script::new()];
        let neighbour = world.neighbour();
        world.store.link(&neighbour.store);
        let mut few = options(&[&flow]);
        few.concurrency = 3;
        let mut workers = Vec::new();
        for (script, world) in scripts.iter().zip([&world, &neighbour]) {
            branches.iter().for_each(|branch| script.hold(&format!("{branch}/work")));
            workers.push(world.worker(few.clone(), script).await);
        }
        world.start(&flow, "run").await;
        scripts[0].until("three branches here", |log| log.started.len() == 3).await;
        scripts[1].until("three branches there", |log| log.started.len() == 3).await;
        for script in &scripts {
            let succeeded = |id| (id, AttemptOutcome::Succeeded(json("1")));
            script.deliver(script.ids().into_iter().map(succeeded).collect());
        }
        world.end("run").await;
        assert_eq!(scripts[0].starts("all") + scripts[1].starts("all"), 1, "round {round}");
    }
}

#[tokio::test]
async fn a_worker_whose_session_was_taken_over_aborts_everything_and_goes_on_with_a_new_one() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(mortal(options(&[&flow])), &script).await;
    world.start(&flow, "run").await;
    let first = script.start("step", 1).await;

    // Frozen for so long that another worker's reaper comes first.
    world.store.set_away(true);
    world.clock.advance(TTL_MS);
    world.base.reap().await.unwrap();
    world.store.set_away(false);
    assert_eq!(script.abort_of(&first).await, AbortReason::ClaimLost);
    script.event("claims are lost", |event| *event == WorkerEvent::ClaimsLost { attempt_count: 1 }).await;
    let second = script.start("step", 2).await;
    script.finish(&first, json("\"from the grave\""));
    script.finish(&second, json("\"alive\""));
    assert_eq!(world.output("run").await, "\"alive\"");
    assert_eq!(worker.health().state, HealthState::Ok);
}

#[tokio::test]
async fn a_claim_that_arrives_after_its_session_was_lost_is_not_started() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    world.start(&flow, "run").await;
    let heard = Arc::new(Notify::new());
    world.store.break_next("claim", [Fault::Delay(heard.clone())]);
    let script = Script::new();
    let _worker = world.worker(mortal(options(&[&flow])), &script).await;
    world.held_by("run", Some("mortal")).await;
    world.store.set_away(true);
    world.clock.advance(TTL_MS);
    world.base.reap().await.unwrap();
    world.store.set_away(false);
    script.event("claims are lost", |event| matches!(event, WorkerEvent::ClaimsLost { .. })).await;
    heard.notify_one();
    assert_eq!(world.output("run").await, "1");
    assert_eq!(script.ids().len(), 1);
    assert_eq!(script.start("step", 1).await.attempt, 2);
}

#[tokio::test]
async fn heartbeats_keep_claims_for_many_lifetimes() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(mortal(options(&[&flow])), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    for beats in 1..=20 {
        world.clock.advance(TTL_MS / 4);
        let now = Some(crate::support::START.plus(beats * TTL_MS / 4));
        script.healthy(&worker, "the lease is renewed", |health| health.last_heartbeat_at == now).await;
        world.base.reap().await.unwrap();
    }
    script.finish(&attempt, json("2"));
    assert_eq!(world.output("run").await, "2");
    assert_eq!(script.abort_count(), 0);
}

#[tokio::test]
async fn a_store_that_is_away_for_less_than_a_lifetime_costs_nothing() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(mortal(options(&[&flow])), &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.store.set_away(true);
    world.clock.advance(TTL_MS / 4);
    world.store.asked("heartbeat", 1).await;
    world.store.set_away(false);
    world.store.asked("heartbeat", 2).await;
    script.finish(&attempt, json("2"));
    assert_eq!(world.output("run").await, "2");
    assert_eq!(script.abort_count(), 0);
    assert_eq!(worker.health().state, HealthState::Ok);
}

/// Real time: a lifetime is reckoned on this machine's own clock, which no story can move.
#[tokio::test]
async fn a_worker_that_cannot_reach_the_store_for_a_lifetime_stops_trusting_its_claims() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(WorkerOptions { claim_ttl_ms: 200, ..options(&[&flow]) }, &script).await;
    world.start(&flow, "run").await;
    let first = script.start("step", 1).await;
    world.store.set_away(true);
    assert_eq!(script.abort_of(&first).await, AbortReason::ClaimLost);
    assert_eq!(worker.health().state, HealthState::Degraded);
    assert!(!script.may_begin(), "nothing may be called under claims that have run out");
    script.fail(&first, thrown("aborted"));
    world.store.set_away(false);
    let second = script.start("step", 2).await;
    assert_eq!(second.attempt, 2, "the first one was started, whatever became of it");
    assert!(script.may_begin());
    script.finish(&second, json("2"));
    assert_eq!(world.output("run").await, "2");
}

/// Real time, as above.
#[tokio::test]
async fn a_result_that_waits_for_the_store_for_longer_than_a_lifetime_is_kept_if_nobody_took_over() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let _worker = world.worker(WorkerOptions { claim_ttl_ms: 200, ..options(&[&flow]) }, &script).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    world.store.set_away(true);
    script.finish(&attempt, json("2"));
    world.store.asked("commit", 1).await;
    script.event("claims are lost", |event| matches!(event, WorkerEvent::ClaimsLost { .. })).await;
    world.store.set_away(false);
    assert_eq!(world.output("run").await, "2");
    assert_eq!(script.starts("step"), 1);
}

#[tokio::test]
async fn an_attempt_that_the_executor_did_not_begin_is_not_counted() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    let first = script.start("step", 1).await;
    script.deliver(vec![(first.id, AttemptOutcome::NotBegun)]);
    let second = script.start("step", 2).await;
    assert_eq!(second.attempt, 1);
    assert_eq!(worker.health().running.len(), 1);
    script.finish(&second, json("2"));
    assert_eq!(world.output("run").await, "2");
}

#[tokio::test]
async fn a_worker_whose_executor_does_not_react_claims_and_renews_nothing_until_it_does() {
    let world = World::new();
    let (flow, probe) = (world.steps("work", &["step"]).await, world.steps("probe", &["probe"]).await);
    let other = world.steps("other", &["other"]).await;
    let script = Script::new();
    let worker = world.worker(WorkerOptions { event_loop_budget_ms: 20, ..options(&[&flow, &probe]) }, &script).await;
    world.settle(&probe).await;
    script.block(21);
    script.event("blocked", |event| *event == WorkerEvent::EventLoopBlocked { blocked_ms: 21 }).await;
    assert_eq!(worker.health().state, HealthState::Blocked);
    world.start(&flow, "run").await;
    world.clock.advance(5_000_000);
    // Another worker does all of its work meanwhile; this one does not even take what is due.
    let neighbour = world.neighbour();
    let _other = neighbour.worker(options(&[&other]), &Script::new()).await;
    for _ in 0..10 {
        neighbour.settle(&other).await;
    }
    assert_eq!((script.starts("step"), world.store.count("heartbeat")), (0, 0));
    assert_eq!(world.engine.explain("run".into()).await.unwrap().record.open[0].worker, None);
    script.block(0);
    script.event("free", |event| *event == WorkerEvent::EventLoopFree).await;
    assert_eq!(world.output("run").await, "1");
    world.store.asked("heartbeat", 1).await;
    assert_eq!(worker.health().state, HealthState::Ok);
}

#[tokio::test]
async fn an_executor_that_blocks_for_longer_than_a_lifetime_loses_its_claims_and_works_again_afterwards() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let short = WorkerOptions { claim_ttl_ms: 100, event_loop_budget_ms: 20, ..options(&[&flow]) };
    let _worker = world.worker(short, &script).await;
    world.start(&flow, "run").await;
    let first = script.start("step", 1).await;
    script.block(21);
    assert_eq!(script.abort_of(&first).await, AbortReason::ClaimLost);
    script.block(0);
    script.event("free", |event| *event == WorkerEvent::EventLoopFree).await;
    world.clock.advance(100);
    let second = script.start("step", 2).await;
    script.finish(&second, json("2"));
    assert_eq!(world.output("run").await, "2");
}

#[tokio::test]
async fn a_clock_that_leaps_ahead_costs_no_living_worker_its_claims() {
    const SHORT_TTL_MS: i64 = 2_000;
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    script.hold("step");
    let worker = world.worker(WorkerOptions { claim_ttl_ms: SHORT_TTL_MS, ..options(&[&flow]) }, &script).await;
    world.store.asked("reap", 1).await;
    world.start(&flow, "run").await;
    let attempt = script.start("step", 1).await;
    let elsewhere = SessionSpec { worker: "bob".into(), ttl_ms: SHORT_TTL_MS };
    let elsewhere = world.base.open_session(elsewhere).await.unwrap();

    // The heartbeat of nobody is in time.
    world.store.break_next("heartbeat", [Fault::Fail]);
    world.clock.advance(10 * SHORT_TTL_MS);
    let now = Some(world.clock.now());
    script.healthy(&worker, "the lease is renewed", |health| health.last_heartbeat_at == now).await;
    assert!(world.base.heartbeat(elsewhere, SHORT_TTL_MS).await.unwrap(), "a neighbour is given time to renew its own");
    world.store.asked("reap", 2).await;
    script.finish(&attempt, json("2"));
    assert_eq!(world.output("run").await, "2");
    assert_eq!((script.abort_count(), script.starts("step")), (0, 1));
}

#[tokio::test]
async fn a_worker_that_lost_its_own_session_gives_others_time_to_come_back() {
    let world = World::new();
    let flow = world.steps("work", &["step"]).await;
    let script = Script::new();
    let _worker = world.worker(mortal(options(&[&flow])), &script).await;
    world.store.asked("reap", 1).await;
    let elsewhere = world.base.open_session(SessionSpec { worker: "bob".into(), ttl_ms: 1 }).await.unwrap();
    world.base.close_session(SessionNo(1)).await.unwrap();
    world.clock.advance(TTL_MS / 4);
    world.store.asked("open_session", 2).await;
    // When the worker wanted to look for the dead.
    world.clock.advance(TTL_MS - TTL_MS / 4);
    world.start(&flow, "run").await;
    world.end("run").await;
    assert!(world.base.heartbeat(elsewhere, 1).await.unwrap(), "what took its session may have taken those of others");
}
