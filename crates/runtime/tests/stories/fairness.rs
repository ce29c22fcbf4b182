//! Many runs, few slots: nobody starves, and what belongs together is done together.

use crate::support::{Script, World, json, options, soon};
use pawl_runtime::AttemptOutcome;
use serde_json::json as value;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_run_of_many_steps_lets_others_in_when_they_wait() {
    let world = World::new();
    let names: Vec<String> = (0..500).map(|step| format!("s{step}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (long, short) = (world.steps("long", &names).await, world.steps("short", &["short"]).await);
    let script = Script::new();
    script.hold("s0");
    let mut one_slot = options(&[&long, &short]);
    one_slot.concurrency = 1;
    let _worker = world.worker(one_slot, &script).await;
    world.start(&long, "long").await;
    let first = script.start("s0", 1).await;
    world.start(&short, "short").await;
    script.finish(&first, json("1"));
    world.end("long").await;
    let place = script.paths().iter().position(|path| path == "short").unwrap();
    assert!(place <= 70, "the short run was let in after {place} steps of the long one");
}

#[tokio::test]
async fn a_fork_that_has_taken_every_slot_lets_others_in_when_they_wait() {
    let world = World::new();
    let step = |scope: &str, name: String| value!({ "scope": scope, "name": name, "kind": "step" });
    let mut nodes =
        vec![step("", "before".into()), value!({ "scope": "", "name": "all", "kind": "fork", "branches": ["a", "b"] })];
    nodes.extend((0..500).flat_map(|at| ["a", "b"].map(|scope| step(scope, format!("s{at}")))));
    let (long, short) = (world.flow("long", nodes.into()).await, world.steps("short", &["short"]).await);
    let script = Script::new();
    ["before", "a/s0", "b/s0"].iter().for_each(|path| script.hold(path));
    let mut two_slots = options(&[&long, &short]);
    two_slots.concurrency = 2;
    let _worker = world.worker(two_slots, &script).await;
    world.start(&long, "long").await;
    // Alone, so the slots of the branches are not taken by a claim that found more than there was room for.
    script.finish(&script.start("before", 1).await, json("1"));
    let first = [script.start("a/s0", 1).await, script.start("b/s0", 1).await];
    world.start(&short, "short").await;
    first.iter().for_each(|attempt| script.finish(attempt, json("1")));
    world.end("long").await;
    world.end("short").await;
    let place = script.paths().iter().position(|path| path == "short").unwrap();
    assert!(place <= 140, "the short run was let in after {place} steps of the long one");
}

#[tokio::test]
async fn a_run_that_nobody_else_waits_behind_is_kept_without_a_claim_per_step() {
    let world = World::new();
    let names: Vec<String> = (0..500).map(|step| format!("s{step}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let flow = world.steps("long", &names).await;
    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    world.start(&flow, "run").await;
    world.end("run").await;
    let claims = world.store.count("claim");
    assert!(claims < 20, "{claims} claims for one run of 500 steps");
}

#[tokio::test]
async fn outcomes_that_arrive_together_are_committed_together_and_their_successors_start_together() {
    let world = World::new();
    let flow = world.steps("work", &["one", "two"]).await;
    let script = Script::new();
    script.hold("one");
    script.hold("two");
    let _worker = world.worker(options(&[&flow]), &script).await;
    for run in 0..8 {
        world.start(&flow, &format!("run-{run}")).await;
    }
    script.start("one", 8).await;
    let commits = world.store.count("commit");
    let succeeded = |id| (id, AttemptOutcome::Succeeded(json("2")));
    let ids = script.ids();
    let (batch, singles) = ids.split_at(4);
    script.deliver(batch.iter().copied().map(succeeded).collect());
    singles.iter().for_each(|id| script.deliver(vec![succeeded(*id)]));
    script.start("two", 8).await;
    assert_eq!(world.store.count("commit"), commits + 1);
    assert_eq!(script.batches().last(), Some(&8));
}

#[tokio::test]
async fn what_a_full_worker_lets_go_is_taken_at_once_by_one_that_is_idle() {
    let world = World::new();
    let flow = world
        .flow(
            "wide",
            value!([
                { "scope": "", "name": "before", "kind": "step" },
                { "scope": "", "name": "all", "kind": "fork", "branches": ["a", "b"] },
                { "scope": "a", "name": "work", "kind": "step" },
                { "scope": "b", "name": "work", "kind": "step" },
            ]),
        )
        .await;
    let (full, idle) = (Script::new(), Script::new());
    for script in [&full, &idle] {
        ["before", "a/work", "b/work"].iter().for_each(|path| script.hold(path));
    }
    let mut one_slot = options(&[&flow]);
    one_slot.concurrency = 1;
    let _full = world.worker(one_slot, &full).await;
    world.start(&flow, "run").await;
    let before = full.start("before", 1).await;
    let _idle = world.worker(options(&[&flow]), &idle).await;
    world.store.asked("claim", 2).await;
    full.finish(&before, json("1"));
    full.start("a/work", 1).await;
    idle.start("b/work", 1).await;
}

#[tokio::test]
async fn work_is_never_held_beyond_the_slots() {
    let world = World::new();
    let branches: Vec<String> = (0..50).map(|branch| format!("b{branch}")).collect();
    let names: Vec<&str> = branches.iter().map(String::as_str).collect();
    let flow = world.fork("wide", &names, true).await;
    let script = Script::new();
    branches.iter().for_each(|branch| script.hold(&format!("{branch}/work")));
    let mut four = options(&[&flow]);
    four.concurrency = 4;
    let worker = world.worker(four, &script).await;
    world.start(&flow, "run").await;
    let mut done = 0;
    while done < 50 {
        script.until("more branches", |log| log.started.len() > done).await;
        assert!(worker.health().running.len() <= 4);
        let id = script.ids()[done];
        script.deliver(vec![(id, AttemptOutcome::Succeeded(json("1")))]);
        done += 1;
    }
    world.end("run").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_attempts_are_a_matter_of_moments() {
    let world = World::new();
    let flow = world.steps("work", &["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"]).await;
    let script = Script::new();
    let mut many = options(&[&flow]);
    many.concurrency = 100;
    let _worker = world.worker(many, &script).await;
    let began = Instant::now();
    for run in 0..1_000 {
        world.start(&flow, &format!("run-{run}")).await;
    }
    for run in 0..1_000 {
        soon("the end", world.output(&format!("run-{run}"))).await;
    }
    assert_eq!(script.ids().len(), 10_000);
    // Not a measurement: a guard against work that grows with what is done already.
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}
