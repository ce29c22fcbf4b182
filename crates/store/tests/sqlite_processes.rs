//! One file, several processes.

mod sqlite_support;

use pawl_core::{Flow, SessionNo};
use pawl_store::{SqliteOptions, SqliteStore, Store};
use sqlite_support::process::{again, all_words, file_to_work_on, say, words};
use sqlite_support::*;
use std::collections::HashSet;
use std::path::Path;

const PROCESS_COUNT: usize = 8;
const RUN_COUNT: usize = 300;
const ACKNOWLEDGED_COUNT: usize = 200;

fn flow() -> Flow {
    chain("order", &["charge"])
}

fn open(file: &Path) -> SqliteStore {
    SqliteStore::open(file, SqliteOptions::default()).unwrap()
}

fn expect_integrity(place: &Place) {
    let verdict: String = place.plain().query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

#[tokio::test]
async fn eight_processes_open_an_absent_file_at_once() {
    if let Some(file) = file_to_work_on() {
        let store = open(&file);
        let flow = register(&store, flow()).await;
        start(&store, &flow, &format!("run-of-{}", std::process::id())).await;
        return store.close().await.unwrap();
    }
    let place = Place::new();
    let test = "eight_processes_open_an_absent_file_at_once";
    let children: Vec<_> = (0..PROCESS_COUNT).map(|_| again(test, &place).spawn().unwrap()).collect();
    let numbers: Vec<u32> = children.iter().map(|child| child.id()).collect();
    children.into_iter().for_each(|child| drop(all_words(child)));

    let store = place.open();
    for number in numbers {
        assert!(store.run(format!("run-of-{number}").into()).await.unwrap().is_some());
    }
    expect_integrity(&place);
}

/// Claims until nothing is due and says what it got.
async fn claim_all(store: &SqliteStore, flow: &Flow, session: SessionNo, mut got: impl FnMut(String)) {
    loop {
        let claimed = claim(store, session, flow, 3).await;
        if claimed.is_empty() {
            return;
        }
        claimed.iter().for_each(|claimed| got(claimed.run_id.to_string()));
    }
}

#[tokio::test]
async fn two_processes_never_get_the_same_branch() {
    if let Some(file) = file_to_work_on() {
        let store = open(&file);
        let session = session(&store, "child").await;
        claim_all(&store, &flow(), session, |id| say(&id)).await;
        return store.close().await.unwrap();
    }
    let place = Place::new();
    let store = place.open();
    let flow = register(&store, flow()).await;
    let runs = (0..RUN_COUNT).map(|at| new_run(&store, &flow, &format!("order-{at}"))).collect();
    store.start(runs).await.unwrap();

    let test = "two_processes_never_get_the_same_branch";
    let children = [again(test, &place).spawn().unwrap(), again(test, &place).spawn().unwrap()];
    let claimed: Vec<String> = children.into_iter().flat_map(all_words).collect();
    let different: HashSet<&String> = claimed.iter().collect();
    assert_eq!((claimed.len(), different.len()), (RUN_COUNT, RUN_COUNT));
}

#[tokio::test]
async fn two_handles_in_one_process_never_get_the_same_branch() {
    let place = Place::new();
    let (one, other) = (place.open(), place.open());
    let flow = register(&one, flow()).await;
    let runs = (0..RUN_COUNT).map(|at| new_run(&one, &flow, &format!("order-{at}"))).collect();
    one.start(runs).await.unwrap();

    let sessions = (session(&one, "one").await, session(&other, "other").await);
    let (mut by_one, mut by_other) = (Vec::new(), Vec::new());
    tokio::join!(
        claim_all(&one, &flow, sessions.0, |id| by_one.push(id)),
        claim_all(&other, &flow, sessions.1, |id| by_other.push(id)),
    );
    let different: HashSet<&String> = by_one.iter().chain(&by_other).collect();
    assert_eq!((by_one.len() + by_other.len(), different.len()), (RUN_COUNT, RUN_COUNT));
}

#[tokio::test]
async fn what_a_killed_process_was_told_is_there() {
    if let Some(file) = file_to_work_on() {
        let store = open(&file);
        let flow = register(&store, flow()).await;
        for at in 0.. {
            let ids: Vec<String> = (0..5).map(|part| format!("order-{at}-{part}")).collect();
            let runs = ids.iter().map(|id| new_run(&store, &flow, id)).collect();
            assert!(store.start(runs).await.unwrap().iter().all(Result::is_ok));
            ids.iter().for_each(|id| say(id));
        }
    }
    let place = Place::new();
    let mut child = again("what_a_killed_process_was_told_is_there", &place).spawn().unwrap();
    let mut said = words(&mut child);
    let mut acknowledged: Vec<String> = said.by_ref().take(ACKNOWLEDGED_COUNT).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged.extend(said);

    let store = place.open();
    assert!(acknowledged.len() >= ACKNOWLEDGED_COUNT);
    for id in acknowledged {
        assert!(store.run(id.as_str().into()).await.unwrap().is_some(), "{id} was acknowledged and is gone");
    }
    expect_integrity(&place);
}
