//! How many steps a second the SQLite store commits, at several batch sizes:
//! `cargo run --release -p pawl-store --example sqlite_steps`. Each step is committed before the next one of its run
//! begins, and is checked.

use pawl_core::flow::{Definition, NodeDefinition, NodeShape};
use pawl_core::turn::{Claimed, Outcome, apply, start};
use pawl_core::{BranchCommit, Commit, Flow, Millis, Payload, SessionNo};
use pawl_store::{FlowRecord, NewRun, OnConflict, SessionSpec, SqliteOptions, SqliteStore, Started, Store, StoreError};
use std::error::Error;
use std::time::{Duration, Instant};

const STEP_COUNT: usize = 10;
const TIME_EACH: Duration = Duration::from_secs(3);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{:>6} {:>10} {:>12} {:>12} {:>12}", "batch", "steps/s", "commits/step", "stmts/step", "starts/s");
    for batch in [1, 10, 100, 1000] {
        measure(batch).await?;
    }
    Ok(())
}

async fn measure(batch: usize) -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let store = SqliteStore::open(dir.path().join("runs.db"), SqliteOptions::default())?;
    let flow = flow();
    let (hash, name) = (flow.hash.clone(), flow.name.to_string());
    store.register_flows(vec![FlowRecord { hash, name, definition: "{}".into() }]).await?;
    let session = store.open_session(SessionSpec { worker: "bench".into(), ttl_ms: 3_600_000 }).await?;

    let (mut steps, mut started) = (0_usize, 0_usize);
    let (mut starting, mut stepping) = (Duration::ZERO, Duration::ZERO);
    let mut spent = (0, 0);
    while stepping < TIME_EACH {
        let begun = Instant::now();
        let mut open = begin(&store, &flow, session, started..started + batch).await?;
        started += batch;
        starting += begun.elapsed();

        let (begun, before) = (Instant::now(), store.counters());
        while !open.is_empty() {
            steps += open.len();
            open = step(&store, &flow, session, open).await?;
        }
        stepping += begun.elapsed();
        let after = store.counters();
        spent.0 += after.transactions - before.transactions;
        spent.1 += after.statements - before.statements;
    }
    println!(
        "{batch:>6} {:>10.0} {:>12.4} {:>12.2} {:>12.0}",
        steps as f64 / stepping.as_secs_f64(),
        spent.0 as f64 / steps as f64,
        spent.1 as f64 / steps as f64,
        started as f64 / starting.as_secs_f64(),
    );
    store.close().await?;
    Ok(())
}

async fn begin(
    store: &SqliteStore,
    flow: &Flow,
    session: SessionNo,
    numbers: std::ops::Range<usize>,
) -> Result<Vec<Claimed>, StoreError> {
    let now = store.clock().now();
    let new = |number: usize| NewRun {
        id: format!("run-{number}").into(),
        flow: flow.hash.clone(),
        input: Payload::json("0"),
        branches: start(flow, now),
        deadline_at: None,
        on_conflict: OnConflict::Fail,
        keep: Some((session, 1)),
    };
    let answers = store.start(numbers.map(new).collect()).await?;
    Ok(answers
        .into_iter()
        .flat_map(|answer| match answer {
            Ok(Started::New { kept, .. }) => kept,
            refused => panic!("{refused:?}"),
        })
        .collect())
}

async fn step(
    store: &SqliteStore,
    flow: &Flow,
    session: SessionNo,
    open: Vec<Claimed>,
) -> Result<Vec<Claimed>, StoreError> {
    let output = Payload::json(format!("{{\"value\":\"{}\"}}", "x".repeat(64)));
    let commit = |claimed: Claimed| {
        let decision = apply(flow, &claimed, Outcome::Succeeded(output.clone()), Millis(0));
        let Claimed { run, scope, fence, .. } = claimed;
        Commit::Branch(BranchCommit { run, scope, fence, decision, keep: Some((session, 1)) })
    };
    let answers = store.commit(open.into_iter().map(commit).collect()).await?;
    Ok(answers.into_iter().flat_map(|answer| answer.expect("nobody else works here").kept).collect())
}

fn flow() -> Flow {
    let node = |number: usize| NodeDefinition {
        scope: String::new(),
        name: format!("step-{number}"),
        shape: NodeShape::Step { retry: Default::default(), timeout_ms: None },
    };
    let definition = Definition { name: "bench".into(), deadline_ms: None, nodes: (0..STEP_COUNT).map(node).collect() };
    definition.build().expect("a sound definition")
}
