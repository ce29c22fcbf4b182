//! What a step costs: counted, so that it is the same on every machine.

mod sqlite_support;

use pawl_core::{Flow, SessionNo};
use pawl_store::sqlite::Counters;
use pawl_store::{SqliteStore, Started, Store};
use sqlite_support::*;

/// Walks one run of this many steps that its session keeps, and tells what each step cost.
async fn walk(store: &SqliteStore, flow: &Flow, session: SessionNo, id: &str) -> Vec<Counters> {
    let mut new = new_run(store, flow, id);
    new.keep = Some((session, 1));
    let Started::New { kept, .. } = store.start(vec![new]).await.unwrap().remove(0).unwrap() else {
        panic!("{id} exists")
    };
    let mut next = kept.into_iter().next();
    let mut costs = Vec::new();
    while let Some(claimed) = next {
        let before = store.counters();
        let committed = succeed(store, flow, &claimed, "2", Some((session, 1))).await.unwrap();
        let after = store.counters();
        costs.push(Counters {
            transactions: after.transactions - before.transactions,
            statements: after.statements - before.statements,
        });
        next = committed.kept.into_iter().next();
    }
    costs
}

fn flow_of(name: &str, step_count: usize) -> Flow {
    let names: Vec<String> = (0..step_count).map(|at| format!("step-{at}")).collect();
    chain(name, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// BEGIN, session, branch, result, move, COMMIT.
const STEP: Counters = Counters { transactions: 1, statements: 6 };

#[tokio::test]
async fn a_step_costs_one_transaction_and_six_statements_however_long_the_run() {
    let place = Place::new();
    let store = place.open();
    let session = session(&store, "host-1").await;
    let flow = register(&store, flow_of("long", 1_000)).await;
    let costs = walk(&store, &flow, session, "order-1").await;
    assert_eq!(costs.len(), 1_000);
    assert_eq!(costs[..999], [STEP; 999]);
}

#[tokio::test]
async fn a_hundred_steps_committed_together_cost_one_transaction_and_three_statements_each() {
    let place = Place::new();
    let store = place.open();
    let session = session(&store, "host-1").await;
    let flow = register(&store, flow_of("short", 2)).await;
    let runs = (0..100).map(|at| new_run(&store, &flow, &format!("order-{at}"))).collect();
    store.start(runs).await.unwrap();
    let claimed = claim(&store, session, &flow, 100).await;

    let before = store.counters();
    let commits = claimed.iter().map(|claimed| success(&flow, claimed, "2", Some((session, 1)))).collect();
    assert!(store.commit(commits).await.unwrap().iter().all(|answer| answer.as_ref().unwrap().kept.len() == 1));
    let after = store.counters();
    assert_eq!(after.transactions - before.transactions, 1);
    // BEGIN, session, COMMIT; and of each step its branch, its result and its move.
    assert_eq!(after.statements - before.statements, 3 + 3 * 100);
}

/// Rows of finished runs are not looked at: a claim and a step read the same few pages.
#[tokio::test]
async fn finished_runs_cost_nothing() {
    let place = Place::new();
    let store = place.open();
    let session = session(&store, "host-1").await;
    let flow = register(&store, flow_of("short", 3)).await;
    let young = walk(&store, &flow, session, "young").await;
    grow_old(&place, 50_000);
    let old = walk(&store, &flow, session, "old").await;
    assert_eq!(old, young);
}

fn grow_old(place: &Place, run_count: i64) {
    let plain = place.plain();
    plain.execute_batch("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE").unwrap();
    let runs = "WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?1)
        INSERT INTO pawl_runs (id, flow_no, state, words, version, created_at, ended_at)
        SELECT 'past-' || at, 1, 3, '{\"output\":\"step-2\"}', 2, 0, 0 FROM n";
    plain.execute(runs, [run_count]).unwrap();
    let results = "INSERT INTO pawl_results (run_no, path, attempt, recorded_at, codec, bytes)
        SELECT run_no, 'step-2', 1, 0, 0, x'31' FROM pawl_runs WHERE id LIKE 'past-%'";
    plain.execute(results, ()).unwrap();
    plain.execute_batch("COMMIT").unwrap();
}
