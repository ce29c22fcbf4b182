//! What shares a transaction, and that nobody suffers from its neighbours.

use super::fault::Fault;
use super::{SqliteOptions, SqliteStore};
use crate::{Answer, Store, StoreError};
use pawl_core::ErrorCode;
use std::path::PathBuf;
use tempfile::TempDir;

fn open() -> (TempDir, PathBuf, SqliteStore) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("runs.db");
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    (dir, file, store)
}

/// A write that leaves a trace.
fn mark(store: &SqliteStore, name: &'static str) -> Answer<()> {
    store.writer.ask(move |tx| tx.execute("INSERT INTO pawl_meta (name, value) VALUES (?1, 1)", [name]).map(drop))
}

/// A write that leaves a trace and then fails in some way.
fn mark_and_fail(store: &SqliteStore, name: &'static str, fail: fn() -> Fault) -> Answer<()> {
    store.writer.ask(move |tx| {
        tx.execute("INSERT INTO pawl_meta (name, value) VALUES (?1, 1)", [name])?;
        Err(fail())
    })
}

fn marks(file: &PathBuf) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut marks = connection.prepare("SELECT name FROM pawl_meta WHERE name <> 'schema_version'").unwrap();
    marks.raw_query().mapped(|row| row.get(0)).map(Result::unwrap).collect()
}

/// Sends while somebody else holds the lock, so that all of it waits together.
fn together<T>(file: &PathBuf, send: impl FnOnce() -> T) -> T {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let sent = send();
    connection.execute_batch("COMMIT").unwrap();
    sent
}

#[tokio::test]
async fn what_waits_together_shares_a_transaction() {
    let (_dir, file, store) = open();
    let before = store.counters().transactions;
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let sent: Vec<_> = together(&file, || names.into_iter().map(|name| mark(&store, name)).collect());
    for answer in sent {
        answer.await.unwrap();
    }
    assert_eq!(marks(&file), names);
    // The first may have gone alone, before the others were sent.
    let transactions = store.counters().transactions - before;
    assert!((1..=2).contains(&transactions), "{transactions}");
}

async fn expect_harmless(fail: fn() -> Fault, code: ErrorCode) {
    let (_dir, file, store) = open();
    let (before, between, after) =
        together(&file, || (mark(&store, "before"), mark_and_fail(&store, "between", fail), mark(&store, "after")));
    before.await.unwrap();
    assert_eq!(between.await.unwrap_err().code, code);
    after.await.unwrap();
    assert_eq!(marks(&file), ["after", "before"]);
}

#[tokio::test]
async fn a_request_that_fails_leaves_no_trace_and_harms_no_neighbour() {
    expect_harmless(|| Fault::Damaged("as asked for".into()), ErrorCode::StoreCorrupt).await;
}

#[tokio::test]
async fn a_panic_is_answered_and_the_thread_lives() {
    expect_harmless(|| panic!("as asked for"), ErrorCode::Internal).await;
}

#[tokio::test]
async fn a_panic_in_a_question_is_answered_and_the_thread_lives() {
    let (_dir, _, store) = open();
    let error: StoreError = store.reader.ask::<()>(|_| panic!("as asked for")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(error.message.contains("as asked for"), "{error}");
    assert_eq!(store.run("order-1".into()).await.unwrap(), None);
}
