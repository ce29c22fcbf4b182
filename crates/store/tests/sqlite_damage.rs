//! A damaged row is told about with its run, and the other runs go on.

mod sqlite_support;

use pawl_core::{ErrorCode, RunState};
use pawl_store::{ListQuery, SqliteStore, Store};
use sqlite_support::*;

async fn two_runs(place: &Place) -> (SqliteStore, pawl_core::Flow) {
    let store = place.open();
    let flow = register(&store, chain("order", &["charge"])).await;
    start(&store, &flow, "sick").await;
    start(&store, &flow, "well").await;
    (store, flow)
}

async fn expect_corrupt(store: &SqliteStore, id: &str) {
    let error = store.run(id.into()).await.unwrap_err();
    assert_eq!((error.code, error.passing), (ErrorCode::StoreCorrupt, false), "{error}");
    assert!(error.message.contains(id), "{error}");
}

#[tokio::test]
async fn a_branch_in_an_unknown_phase_is_put_aside() {
    let place = Place::new();
    let (store, flow) = two_runs(&place).await;
    place.plain().execute("UPDATE pawl_branches SET phase = 99 WHERE run_no = 1", ()).unwrap();

    let session = session(&store, "host-1").await;
    let claimed = claim(&store, session, &flow, 10).await;
    let ids: Vec<&str> = claimed.iter().map(|claimed| claimed.run_id.as_str()).collect();
    assert_eq!(ids, ["well"]);
    assert!(succeed(&store, &flow, &claimed[0], "2", None).await.unwrap().ended);
    expect_corrupt(&store, "sick").await;
    assert_eq!(claim(&store, session, &flow, 10).await, []);
}

#[tokio::test]
async fn a_claimed_branch_that_gets_damaged_is_refused_alone() {
    let place = Place::new();
    let (store, flow) = two_runs(&place).await;
    let session = session(&store, "host-1").await;
    let claimed = claim(&store, session, &flow, 10).await;
    place.plain().execute("UPDATE pawl_branches SET phase = 99 WHERE run_no = 1", ()).unwrap();

    let commits = claimed.iter().map(|claimed| success(&flow, claimed, "2", None)).collect();
    let answers = store.commit(commits).await.unwrap();
    assert!(answers[0].is_err(), "{answers:?}");
    assert!(answers[1].as_ref().unwrap().ended, "{answers:?}");
    expect_corrupt(&store, "sick").await;
}

#[tokio::test]
async fn a_session_with_a_damaged_branch_can_be_closed() {
    let place = Place::new();
    let (store, flow) = two_runs(&place).await;
    let first = session(&store, "host-1").await;
    assert_eq!(claim(&store, first, &flow, 10).await.len(), 2);
    place.plain().execute("UPDATE pawl_branches SET phase = 99 WHERE run_no = 1", ()).unwrap();

    assert_eq!(store.held(first).await.unwrap().len(), 1);
    store.close_session(first).await.unwrap();
    let second = session(&store, "host-2").await;
    let claimed = claim(&store, second, &flow, 10).await;
    assert_eq!(claimed.iter().map(|claimed| claimed.run_id.as_str()).collect::<Vec<_>>(), ["well"]);
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_told_and_hides_nobody() {
    let place = Place::new();
    let (store, flow) = two_runs(&place).await;
    place.plain().execute("UPDATE pawl_runs SET state = 4, words = '{\"oops' WHERE run_no = 1", ()).unwrap();

    expect_corrupt(&store, "sick").await;
    let states = store.states(vec![pawl_core::RunNo(1), pawl_core::RunNo(2)]).await.unwrap();
    assert!(
        matches!(&states[0], Some(RunState::Failed(failure)) if failure.code == ErrorCode::StoreCorrupt),
        "{states:?}"
    );
    assert_eq!(states[1], Some(RunState::Running));

    let listed = store.list(ListQuery { limit: 10, ..ListQuery::default() }).await.unwrap();
    let ids: Vec<&str> = listed.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(ids, ["well", "sick"]);
    let session = session(&store, "host-1").await;
    assert_eq!(claim(&store, session, &flow, 1).await.len(), 1);
}

#[tokio::test]
async fn a_lost_flow_is_told() {
    let place = Place::new();
    let (store, _) = two_runs(&place).await;
    place.plain().execute("DELETE FROM pawl_flows", ()).unwrap();
    expect_corrupt(&store, "sick").await;
    assert_eq!(store.list(ListQuery { limit: 10, ..ListQuery::default() }).await.unwrap().len(), 2);
}
