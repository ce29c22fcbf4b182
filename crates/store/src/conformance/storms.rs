//! Many at once.

use super::fixture::*;
use super::pieces::*;
use crate::{OnConflict, SignalReceipt, Started};
use pawl_core::turn::Claimed;
use pawl_core::{Flow, RunState};
use std::collections::HashSet;
use tokio::task::JoinSet;

const RUNS: usize = 150;
const WORKERS: usize = 12;

pub async fn two_sessions_never_get_the_same_branch(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start_many(&flow, "order", RUNS).await;
    let claimed = claim_from(vec![t.clone(); WORKERS], &flow).await;
    expect_each_once(&claimed);
}

/// Claims everything, one worker on each of these fixtures.
pub(super) async fn claim_from(fixtures: Vec<Fixture>, flow: &Flow) -> Vec<Claimed> {
    let mut workers = JoinSet::new();
    for t in fixtures {
        let flow = flow.clone();
        workers.spawn(async move {
            let session = t.session().await;
            let mut mine = Vec::new();
            loop {
                let claimed = t.claim(session, &flow, 3).await;
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed);
            }
        });
    }
    workers.join_all().await.concat()
}

pub(super) fn expect_each_once(claimed: &[Claimed]) {
    let runs: HashSet<_> = claimed.iter().map(|claimed| claimed.run).collect();
    assert_eq!((claimed.len(), runs.len()), (RUNS, RUNS), "each branch once");
}

pub async fn branches_that_arrive_at_once_join_once(t: Fixture) {
    const NAMES: [&str; 16] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"];
    let flow = t.flow("wide", [wide("all", &NAMES)]).await;
    for round in 0..10 {
        let run = t.start(&flow, &format!("order-{round}")).await;
        let mut commits = JoinSet::new();
        for branch in t.claim(t.session().await, &flow, NAMES.len()).await {
            let (t, flow) = (t.clone(), flow.clone());
            commits.spawn(async move { t.succeed(&flow, &branch).await.let_go });
        }
        let made_due = commits.join_all().await.into_iter().filter(|let_go| *let_go).count();
        assert_eq!(made_due, 1, "one commit brings the last branch");
        let join = t.claim_one(t.session().await, &flow).await;
        assert!(t.succeed(&flow, &join).await.ended);
        assert_eq!(t.state(run).await, RunState::Completed { output: "all".into() });
    }
}

pub async fn one_of_many_turns_of_one_claim_is_granted(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let mut commits = JoinSet::new();
    for _ in 0..20 {
        let (t, flow, charge) = (t.clone(), flow.clone(), charge.clone());
        commits.spawn(async move { t.try_succeed(&flow, &charge).await.is_ok() });
    }
    assert_eq!(commits.join_all().await.into_iter().filter(|granted| *granted).count(), 1);
}

pub async fn one_of_many_starts_of_one_id_begins_the_run(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let mut starts = JoinSet::new();
    for at in 0..40 {
        let t = t.clone();
        let on_conflict = if at % 2 == 0 { OnConflict::Fail } else { OnConflict::UseExisting };
        let new = crate::NewRun { on_conflict, ..t.new_run(&flow, "order-1") };
        starts.spawn(async move { t.try_start(new).await });
    }
    let answers = starts.join_all().await;
    let new = answers.iter().filter(|answer| matches!(answer, Ok(Started::New { .. }))).count();
    assert_eq!(new, 1, "{answers:?}");
    let record = t.record("order-1").await;
    for answer in answers {
        if let Ok(Started::Existing { run } | Started::New { run, .. }) = answer {
            assert_eq!(run, record.run);
        }
    }
}

pub async fn one_of_many_deliveries_of_one_key_is_accepted(t: Fixture) {
    let flow = t.flow("checkout", [signal("ok")]).await;
    t.start(&flow, "order-1").await;
    let mut deliveries = JoinSet::new();
    for _ in 0..30 {
        let t = t.clone();
        deliveries.spawn(async move { t.try_signal(new_signal("order-1", "ok", "1", Some("event-7"))).await });
    }
    let answers = deliveries.join_all().await;
    let accepted = answers.iter().filter(|answer| matches!(answer, Ok(SignalReceipt::Accepted { .. }))).count();
    assert_eq!(accepted, 1, "{answers:?}");
}

pub async fn many_workers_bring_every_run_to_its_end(t: Fixture) {
    let inner = joined("in", [("x", vec![step("a")]), ("y", vec![retried("b", 2, 0)])]);
    let pieces =
        [step("charge"), joined("out", [("l", vec![inner]), ("r", vec![step("c"), signal("ok")])]), step("end")];
    let flow = t.flow("nested", pieces).await;
    let runs = t.start_many(&flow, "order", 30).await;
    for at in 0..30 {
        t.signal(&format!("order-{at}"), "ok", "1").await;
    }
    let mut workers = JoinSet::new();
    for _ in 0..6 {
        let (t, flow, runs) = (t.clone(), flow.clone(), runs.clone());
        workers.spawn(async move {
            while t
                .store
                .states(runs.clone())
                .await
                .expect("the store answers")
                .iter()
                .flatten()
                .any(|s| !s.is_terminal())
            {
                t.work_off(&flow).await;
                tokio::task::yield_now().await;
            }
        });
    }
    workers.join_all().await;
    for run in runs {
        assert_eq!(t.state(run).await, RunState::Completed { output: "end".into() });
        let mut told = t.told(run).await;
        let last = told.pop();
        told.sort();
        let expected = ["#0", "charge#1", "l/in#1", "l/x/a#1", "l/y/b#1", "out#1", "r/c#1", "r/ok#0"];
        assert_eq!((told, last.as_deref()), (expected.map(str::to_owned).to_vec(), Some("end#1")));
    }
}
