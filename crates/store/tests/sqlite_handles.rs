//! Several handles on one file, and the end of a handle.

mod sqlite_support;

use pawl_core::ErrorCode;
use pawl_store::{FlowLookup, Store};
use sqlite_support::*;
use std::time::{Duration, Instant};

/// Far more than the 50 ms promised: what is tested is that it is noticed at all on a machine that does other things too.
const NOTICED_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test]
async fn what_another_process_commits_is_noticed() {
    let place = Place::new();
    let store = place.open();
    let mut changes = store.foreign_changes();
    assert!(!changes.has_changed().unwrap());
    place.plain().execute("INSERT INTO pawl_meta (name, value) VALUES ('other', 1)", ()).unwrap();
    tokio::time::timeout(NOTICED_WITHIN, changes.changed()).await.expect("noticed in time").unwrap();
}

#[tokio::test]
async fn what_another_process_commits_is_noticed_under_load() {
    let place = Place::new();
    let (store, other) = (place.open(), place.open());
    let flow = register(&store, chain("order", &["charge"])).await;
    let mut changes = store.foreign_changes();
    changes.borrow_and_update();
    let begun = Instant::now();
    let mut at = 0;
    start(&other, &flow, "foreign").await;
    while !changes.has_changed().unwrap() {
        assert!(begun.elapsed() < NOTICED_WITHIN, "not noticed among {at} starts");
        start(&store, &flow, &format!("own-{at}")).await;
        at += 1;
    }
}

#[tokio::test]
async fn own_commits_are_no_foreign_changes() {
    let place = Place::new();
    let store = place.open();
    let changes = store.foreign_changes();
    let flow = register(&store, chain("order", &["charge"])).await;
    for at in 0..50 {
        start(&store, &flow, &format!("order-{at}")).await;
    }
    assert!(!changes.has_changed().unwrap());
}

#[tokio::test]
async fn a_closed_store_has_finished_what_was_asked_and_answers_nothing_more() {
    let place = Place::new();
    let store = place.open();
    let flow = register(&store, chain("order", &["charge"])).await;
    let asked = store.start(vec![new_run(&store, &flow, "order-1")]);
    store.close().await.unwrap();
    assert!(asked.await.unwrap()[0].is_ok());

    assert_eq!(store.find_flow(FlowLookup::Name("order".into())).await.unwrap_err().code, ErrorCode::Closed);
    assert_eq!(store.reap().await.unwrap_err().code, ErrorCode::Closed);
    store.close().await.unwrap();
    let others: Vec<_> = std::fs::read_dir(place.dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(others, ["runs.db"], "the write-ahead log was moved into the database");
}

#[tokio::test]
async fn a_dropped_store_finishes_what_was_asked() {
    let place = Place::new();
    let store = place.open();
    let flow = register(&store, chain("order", &["charge"])).await;
    let asked = store.start(vec![new_run(&store, &flow, "order-1")]);
    drop(store);
    assert!(asked.await.unwrap()[0].is_ok());
    assert!(place.open().run("order-1".into()).await.unwrap().is_some());
}
