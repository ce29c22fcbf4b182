//! Databases of every published schema version are opened, and their runs go on.

mod sqlite_support;

use pawl_core::flow::Definition;
use pawl_core::run::{RunView, view};
use pawl_core::turn::{Outcome, Work, apply, next_work};
use pawl_core::{BranchCommit, Commit, ErrorCode, Flow, Millis, Payload, RunState};
use pawl_store::sqlite::SCHEMA_VERSION;
use pawl_store::{
    ClaimAsk, ClaimFilter, FlowLookup, ManualClock, NewSignal, RunRecord, SignalReceipt, SqliteOptions, SqliteStore,
    Store,
};
use sqlite_support::*;
use std::sync::Arc;

const VERSION_1: &str = include_str!("fixtures/sqlite_v1.sql");
/// The moment at which the fixture was written.
const WRITTEN_AT: Millis = Millis(1_800_003_600_009);

fn open_version_1(place: &Place) -> (SqliteStore, ManualClock) {
    place.plain().execute_batch(VERSION_1).unwrap();
    let clock = ManualClock::at(WRITTEN_AT);
    let options = SqliteOptions { clock: Arc::new(clock.clone()), ..SqliteOptions::default() };
    (place.open_with(options), clock)
}

async fn read(store: &SqliteStore, id: &str) -> RunRecord {
    store.run(id.into()).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_database_of_version_1_is_brought_up_to_date() {
    let place = Place::new();
    let (store, _) = open_version_1(&place);
    store.close().await.unwrap();
    let version = "SELECT value FROM pawl_meta WHERE name = 'schema_version'";
    let version: i64 = place.plain().query_row(version, (), |row| row.get(0)).unwrap();
    assert_eq!(version, SCHEMA_VERSION);
}

#[tokio::test]
async fn every_run_of_version_1_is_read_as_it_was() {
    let place = Place::new();
    let (store, _) = open_version_1(&place);
    let mut seen = Vec::new();
    for id in ["queued", "claimed", "retrying", "forked", "awaiting", "paused", "completed", "failed", "cancelled"] {
        let run = read(&store, id).await;
        let lines = store.history(run.run).await.unwrap().len();
        seen.push(match view(&run.state, &run.open, None, Millis(0)) {
            RunView::Running => format!("{id}: running, {} open, {lines} lines", run.open.len()),
            RunView::AwaitingSignal { node, signal, .. } => format!("{id}: awaits {signal} on {node}, {lines} lines"),
            RunView::Paused { reason, by } => format!("{id}: {reason:?} by {by:?}, {lines} lines"),
            RunView::Failed(failure) => format!("{id}: {} {:?}, {lines} lines", failure.message, failure.cause),
            other => format!("{id}: {other:?}, {lines} lines"),
        });
    }
    let cause = Payload::json(r#"{"name":"Error"}"#);
    assert_eq!(
        seen,
        [
            "queued: running, 1 open, 1 lines".to_owned(),
            "claimed: running, 1 open, 1 lines".into(),
            "retrying: running, 1 open, 2 lines".into(),
            "forked: running, 3 open, 2 lines".into(),
            "awaiting: awaits approve on approval, 5 lines".into(),
            "paused: Some(\"audit\") by Some(\"ops\"), 2 lines".into(),
            "completed: Completed { output: None }, 7 lines".into(),
            format!("failed: no stock {:?}, 2 lines", Some(cause)),
            "cancelled: Cancelled { reason: Some(\"no money\"), by: None }, 2 lines".into(),
        ]
    );
    let completed = read(&store, "completed").await;
    assert_eq!(store.results(completed.run, vec!["bill".into()]).await.unwrap(), [Some(json("\"billed\""))]);
    assert!(matches!(read(&store, "failed").await.state, RunState::Failed(f) if f.code == ErrorCode::StepFailed));
}

#[tokio::test]
async fn every_open_run_of_version_1_goes_on_to_its_end() {
    let place = Place::new();
    let (store, clock) = open_version_1(&place);
    let stored = store.find_flow(FlowLookup::Name("order".into())).await.unwrap().unwrap();
    let flow = serde_json::from_str::<Definition>(&stored.definition).unwrap().build().unwrap();
    let again =
        NewSignal { run_id: "completed".into(), name: "approve".into(), payload: json("1"), key: Some("k1".into()) };
    assert_eq!(store.signal(vec![again]).await.unwrap(), [Ok(SignalReceipt::Duplicate)]);

    // The worker of the fixture is dead.
    clock.advance(20_000);
    assert_eq!(store.reap().await.unwrap().freed, 1);
    for id in ["claimed", "retrying", "forked", "awaiting"] {
        let signal = NewSignal { run_id: id.into(), name: "approve".into(), payload: json("true"), key: None };
        store.signal(vec![signal]).await.unwrap().remove(0).unwrap();
    }
    for id in ["queued", "claimed", "retrying", "forked", "awaiting"] {
        drive(&store, &clock, &flow, id).await;
        assert_eq!(read(&store, id).await.state, RunState::Completed { output: "bill".into() }, "{id}");
    }
}

/// Brings a run to where nothing of it is due any more, whatever time it takes.
async fn drive(store: &SqliteStore, clock: &ManualClock, flow: &Flow, id: &str) {
    let (run, session) = (read(store, id).await.run, session(store, "host-2").await);
    loop {
        let claims = store.claim(ClaimAsk { session, filter: ClaimFilter::Run(run), limit: 9 }).await.unwrap();
        if claims.claimed.is_empty() {
            let Some(next) = claims.next_due_at else { return };
            clock.advance(next.0 - store.clock().now().0);
        }
        for claimed in claims.claimed {
            let now = store.clock().now();
            let decision = match next_work(flow, &claimed, now) {
                Work::Settle(decision) => decision,
                Work::Run(_) | Work::Gather(_) => apply(flow, &claimed, Outcome::Succeeded(json("1")), now),
                Work::Release => panic!("{claimed:?} was handed out before its time"),
            };
            let (scope, fence) = (claimed.scope, claimed.fence);
            let commit = Commit::Branch(BranchCommit { run, scope, fence, decision, keep: None });
            store.commit(vec![commit]).await.unwrap().remove(0).unwrap();
        }
    }
}
