//! Lists of runs.

use super::fixture::*;
use super::pieces::*;
use crate::{ListQuery, StatusFilter};
use pawl_core::turn::Outcome;

async fn ids(t: &Fixture, query: ListQuery) -> Vec<String> {
    t.store.list(query).await.expect("the store answers").into_iter().map(|run| run.id.to_string()).collect()
}

fn first(limit: usize) -> ListQuery {
    ListQuery { limit, ..ListQuery::default() }
}

pub async fn runs_are_listed_newest_first_page_by_page(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let runs = t.start_many(&flow, "order", 5).await;
    t.work_off(&flow).await;
    t.start(&flow, "last").await;
    assert_eq!(ids(&t, first(3)).await, ["last", "order-4", "order-3"]);
    let next = |before: usize| ListQuery { before: Some(runs[before]), ..first(3) };
    assert_eq!(ids(&t, next(3)).await, ["order-2", "order-1", "order-0"]);
    assert_eq!(ids(&t, next(0)).await, [""; 0]);
    assert_eq!(ids(&t, first(0)).await, [""; 0]);
}

pub async fn a_list_shows_what_a_single_read_shows(t: Fixture) {
    let flow = t.flow("wide", [wide("all", &["a", "b"])]).await;
    t.start(&flow, "order-1").await;
    t.start(&flow, "order-2").await;
    t.claim(t.session().await, &flow, 1).await;
    t.cancel("order-2").await;
    let listed = t.store.list(first(10)).await.expect("the store answers");
    assert_eq!(listed, [t.record("order-2").await, t.record("order-1").await]);
}

pub async fn a_list_of_a_flow_shows_all_its_shapes_and_no_other_flow(t: Fixture) {
    let old = t.flow("checkout", [step("charge")]).await;
    let new = t.flow("checkout", [step("charge"), step("ship")]).await;
    let other = t.flow("refund", [step("charge")]).await;
    for (flow, id) in [(&old, "a"), (&other, "b"), (&new, "c"), (&other, "d")] {
        t.start(flow, id).await;
    }
    let of = |flow: &str| ListQuery { flow: Some(flow.into()), ..first(10) };
    assert_eq!(ids(&t, of("checkout")).await, ["c", "a"]);
    assert_eq!(ids(&t, of("refund")).await, ["d", "b"]);
    assert_eq!(ids(&t, of("nothing")).await, [""; 0]);
    assert_eq!(ids(&t, ListQuery { limit: 1, ..of("checkout") }).await, ["c"]);
}

pub async fn each_status_lists_its_runs(t: Fixture) {
    let works = t.flow("works", [retried("charge", 2, 60_000)]).await;
    let sleeps = t.flow("sleeps", [delay("nap", 60_000)]).await;
    let awaits = t.flow("awaits", [signal("ok")]).await;
    let session = t.session().await;
    let steps = [("completed", Outcome::Succeeded(json("1"))), ("backing off", Outcome::Failed(thrown()))];
    for (id, outcome) in steps {
        t.start(&works, id).await;
        t.turn(&works, &t.claim_one(session, &works).await, outcome).await.expect("the claim is good");
    }
    t.start(&works, "failed").await;
    let mut thrown = thrown();
    thrown.retryable = false;
    t.turn(&works, &t.claim_one(session, &works).await, Outcome::Failed(thrown)).await.expect("the claim is good");
    for id in ["queued", "paused", "cancelled"] {
        t.start(&works, id).await;
    }
    t.pause("paused").await;
    t.cancel("cancelled").await;
    t.start(&sleeps, "waiting").await;
    t.start(&awaits, "awaiting").await;
    t.start(&awaits, "woken").await;
    t.signal("woken", "ok", "1").await;

    let expected: [(StatusFilter, &[&str]); 7] = [
        (StatusFilter::Running, &["woken", "queued", "backing off"]),
        (StatusFilter::Waiting, &["waiting"]),
        (StatusFilter::AwaitingSignal, &["awaiting"]),
        (StatusFilter::Paused, &["paused"]),
        (StatusFilter::Completed, &["completed"]),
        (StatusFilter::Failed, &["failed"]),
        (StatusFilter::Cancelled, &["cancelled"]),
    ];
    for (status, expected) in expected {
        assert_eq!(ids(&t, ListQuery { status: Some(status), ..first(10) }).await, expected, "{status:?}");
    }
}

pub async fn a_status_is_looked_for_beyond_the_first_page(t: Fixture) {
    let works = t.flow("works", [step("charge")]).await;
    let sleeps = t.flow("sleeps", [delay("nap", 60_000)]).await;
    t.start(&sleeps, "deep").await;
    t.start_many(&works, "order", 150).await;
    let waiting = ListQuery { status: Some(StatusFilter::Waiting), ..first(1) };
    assert_eq!(ids(&t, waiting).await, ["deep"]);
}

pub async fn every_life_of_an_id_is_listed(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let old = t.start(&flow, "order-1").await;
    let mut new = t.new_run(&flow, "order-1");
    new.on_conflict = crate::OnConflict::TerminateExisting;
    t.try_start(new).await.expect("a new life");
    let listed = t.store.list(first(10)).await.expect("the store answers");
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[1].run, old);
    assert!(listed[1].state.is_terminal() && !listed[0].state.is_terminal());
}
