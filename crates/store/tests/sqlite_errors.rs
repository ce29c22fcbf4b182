//! What is said about files that cannot be used, and that they are left as they are.

mod sqlite_support;

use pawl_core::ErrorCode;
use pawl_store::sqlite::SCHEMA_VERSION;
use pawl_store::{SqliteOptions, SqliteStore, Store, StoreError};
use sqlite_support::*;
use std::fs;
use std::time::Duration;

fn refused(place: &Place) -> StoreError {
    match SqliteStore::open(place.file(), SqliteOptions::default()) {
        Ok(_) => panic!("the file was opened"),
        Err(error) => error,
    }
}

#[track_caller]
fn expect(error: &StoreError, code: ErrorCode, passing: bool, words: &[&str]) {
    assert_eq!((error.code, error.passing), (code, passing), "{error}");
    for word in words {
        assert!(error.message.contains(word), "\"{word}\" is missing: {error}");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_and_not_touched() {
    let place = Place::new();
    let text = "these are my notes\n".repeat(1_000);
    fs::write(place.file(), &text).unwrap();
    expect(&refused(&place), ErrorCode::StoreForeign, false, &["runs.db", "not an SQLite database"]);
    assert_eq!(fs::read_to_string(place.file()).unwrap(), text);
}

#[test]
fn a_file_too_small_to_be_a_database_is_refused_and_not_touched() {
    for text in ["x", "API_KEY=secret\n"] {
        let place = Place::new();
        fs::write(place.file(), text).unwrap();
        expect(&refused(&place), ErrorCode::StoreForeign, false, &["runs.db", "not an SQLite database"]);
        assert_eq!(fs::read_to_string(place.file()).unwrap(), text);
    }
}

#[test]
fn an_empty_file_becomes_a_database() {
    let place = Place::new();
    fs::write(place.file(), "").unwrap();
    assert!(SqliteStore::open(place.file(), SqliteOptions::default()).is_ok());
}

#[tokio::test]
async fn a_truncated_database_is_damaged() {
    let place = Place::new();
    let store = place.open();
    let flow = register(&store, chain("order", &["charge"])).await;
    start(&store, &flow, "order-1").await;
    store.close().await.unwrap();

    let bytes = fs::read(place.file()).unwrap();
    fs::write(place.file(), &bytes[..bytes.len() / 2]).unwrap();
    expect(&refused(&place), ErrorCode::StoreCorrupt, false, &["runs.db", "backup"]);
}

#[test]
fn a_missing_directory_is_named() {
    let place = Place::new();
    let file = place.dir.path().join("nowhere").join("runs.db");
    let error = SqliteStore::open(&file, SqliteOptions::default()).err().unwrap();
    expect(&error, ErrorCode::StoreUnavailable, false, &["nowhere\" does not exist"]);
}

#[test]
fn a_directory_is_no_database() {
    let place = Place::new();
    fs::create_dir(place.file()).unwrap();
    expect(&refused(&place), ErrorCode::StoreUnavailable, false, &["runs.db", "It is a directory"]);
}

#[test]
fn an_empty_path_is_refused() {
    let error = SqliteStore::open("", SqliteOptions::default()).err().unwrap();
    expect(&error, ErrorCode::StoreUnavailable, false, &["path"]);
}

#[tokio::test]
async fn a_database_of_a_newer_pawl_is_refused_with_both_versions() {
    let place = Place::new();
    place.open().close().await.unwrap();
    let newer = SCHEMA_VERSION + 7;
    place.plain().execute("UPDATE pawl_meta SET value = ?1", [newer]).unwrap();
    let (found, known) = (format!("version {newer}"), format!("up to {SCHEMA_VERSION}"));
    expect(&refused(&place), ErrorCode::StoreNewer, false, &["runs.db", &found, &known, "Update pawl"]);
}

#[test]
fn a_table_of_the_same_name_that_is_not_ours_is_refused() {
    let place = Place::new();
    place.plain().execute_batch("CREATE TABLE pawl_meta (colour TEXT)").unwrap();
    let bytes = fs::read(place.file()).unwrap();
    expect(&refused(&place), ErrorCode::StoreForeign, false, &["pawl_meta"]);
    assert!(fs::read(place.file()).unwrap() == bytes, "the file was changed");
}

#[tokio::test]
async fn the_users_own_tables_and_version_stay_as_they_are() {
    let place = Place::new();
    let mine =
        "PRAGMA user_version = 42; PRAGMA application_id = 7; CREATE TABLE orders (id); INSERT INTO orders VALUES (1)";
    place.plain().execute_batch(mine).unwrap();
    let store = place.open();
    let flow = register(&store, chain("order", &["charge"])).await;
    start(&store, &flow, "order-1").await;
    store.close().await.unwrap();

    let plain = place.plain();
    let number = |sql: &str| plain.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("PRAGMA user_version"), 42);
    assert_eq!(number("PRAGMA application_id"), 7);
    assert_eq!(number("SELECT count(*) FROM orders"), 1);
    let strangers = "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'pawl_%' AND name NOT LIKE 'sqlite_%'";
    assert_eq!(number(strangers), 1, "every table of ours begins with pawl_");
}

#[tokio::test]
async fn a_lock_held_too_long_is_busy_and_passes() {
    let place = Place::new();
    let store = place.open_with(SqliteOptions { busy_deadline: Duration::from_millis(50), ..Default::default() });
    let flow = register(&store, chain("order", &["charge"])).await;

    let other = place.plain();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.start(vec![new_run(&store, &flow, "order-1")]).await.unwrap_err();
    expect(&error, ErrorCode::StoreBusy, true, &["runs.db", "lock"]);
    assert!(store.run("order-1".into()).await.unwrap().is_none(), "readers do not wait for the lock");

    other.execute_batch("COMMIT").unwrap();
    start(&store, &flow, "order-1").await;
}

#[tokio::test]
async fn a_full_disk_refuses_what_does_not_fit_and_passes() {
    let place = Place::new();
    let store = place.open_with(SqliteOptions { page_count_max: Some(100), ..Default::default() });
    let flow = register(&store, chain("order", &["charge"])).await;
    start(&store, &flow, "small").await;

    let mut big = new_run(&store, &flow, "big");
    big.input = json(&format!("\"{}\"", "x".repeat(1_000_000)));
    let error = store.start(vec![big.clone()]).await.unwrap_err();
    expect(&error, ErrorCode::StoreFull, true, &["runs.db", "room"]);
    assert!(store.run("big".into()).await.unwrap().is_none());
    assert!(store.run("small".into()).await.unwrap().is_some());
    store.close().await.unwrap();

    let store = place.open();
    store.start(vec![big]).await.unwrap().remove(0).unwrap();
}

#[tokio::test]
async fn what_does_not_fit_takes_no_neighbour_with_it() {
    let place = Place::new();
    let store = place.open_with(SqliteOptions { page_count_max: Some(100), ..Default::default() });
    let flow = register(&store, chain("order", &["charge"])).await;
    let mut big = new_run(&store, &flow, "big");
    big.input = json(&format!("\"{}\"", "x".repeat(1_000_000)));

    // Sent without waiting, so that they share a transaction.
    let lock = place.plain();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = store.start(vec![new_run(&store, &flow, "before")]);
    let between = store.start(vec![big]);
    let after = store.start(vec![new_run(&store, &flow, "after")]);
    lock.execute_batch("COMMIT").unwrap();

    assert!(before.await.unwrap()[0].is_ok());
    assert_eq!(between.await.unwrap_err().code, ErrorCode::StoreFull);
    assert!(after.await.unwrap()[0].is_ok());
    for (id, is_there) in [("before", true), ("big", false), ("after", true)] {
        assert_eq!(store.run(id.into()).await.unwrap().is_some(), is_there, "{id}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_moved_away_takes_no_more_until_it_is_back() {
    let place = Place::new();
    let store = place.open();
    let flow = register(&store, chain("order", &["charge"])).await;
    let elsewhere = place.dir.path().join("elsewhere.db");
    fs::rename(place.file(), &elsewhere).unwrap();
    let error = store.start(vec![new_run(&store, &flow, "order-1")]).await.unwrap_err();
    expect(&error, ErrorCode::StoreUnavailable, true, &["runs.db", "moved", "Put it back"]);

    fs::rename(elsewhere, place.file()).unwrap();
    start(&store, &flow, "order-1").await;
}
