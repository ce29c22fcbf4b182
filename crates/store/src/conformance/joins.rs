//! Forks and joins.

use super::fixture::*;
use super::pieces::*;
use crate::{Committed, Refused};
use pawl_core::{Flow, Phase, RunState};

async fn two_branches(t: &Fixture) -> Flow {
    let branches = [("email", vec![step("send")]), ("ship", vec![step("pick"), step("pack")])];
    t.flow("checkout", [step("charge"), joined("combine", branches), step("thank")]).await
}

async fn missing(t: &Fixture, id: &str) -> Option<u32> {
    t.record(id).await.open.into_iter().find_map(|branch| match branch.state.phase {
        Phase::Joining { missing } => Some(missing),
        _ => None,
    })
}

pub async fn a_fork_makes_its_branches_due_in_one_commit(t: Fixture) {
    let flow = two_branches(&t).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let committed = t.succeed(&flow, &charge).await;
    assert_eq!(committed, Committed { let_go: true, ..Committed::default() });
    assert_eq!(missing(&t, "order-1").await, Some(2));
    let branches = t.claim(t.session().await, &flow, 10).await;
    let scopes: Vec<&str> = branches.iter().map(|branch| branch.scope.as_str()).collect();
    assert_eq!(scopes, ["email", "ship"], "in the order of their declaration");
    for branch in &branches {
        assert_eq!((branch.input.as_ref(), branch.attempt), (Some(&output_of(&charge)), 1));
    }
}

pub async fn a_join_is_due_in_the_commit_of_its_last_branch(t: Fixture) {
    let flow = two_branches(&t).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.succeed(&flow, &t.claim_one(session, &flow).await).await;
    let branches = t.claim(session, &flow, 10).await;

    let first = t.succeed(&flow, &branches[0]).await;
    assert_eq!(first, Committed::default(), "one branch is missing");
    assert_eq!(missing(&t, "order-1").await, Some(1));
    t.expect_nothing_due(&flow).await;

    let pack = t.succeed_keeping(&flow, &branches[1], session, 1).await.kept.remove(0);
    assert_eq!(missing(&t, "order-1").await, Some(1), "a step inside a branch is no arrival");
    let last = t.succeed(&flow, &pack).await;
    assert_eq!(last, Committed { let_go: true, ..Committed::default() });
    assert_eq!(missing(&t, "order-1").await, None);

    let join = t.claim_one(session, &flow).await;
    assert_eq!((join.scope.as_str(), join.state.node.as_str(), join.attempt), ("", "combine", 1));
    assert_eq!(join.input, None, "its input is the outputs of the branches");
    t.succeed(&flow, &join).await;
    assert!(t.succeed(&flow, &t.claim_one(session, &flow).await).await.ended);
}

pub async fn a_join_is_kept_by_whoever_brings_the_last_branch(t: Fixture) {
    let flow = t.flow("wide", [joined("all", [("a", vec![step("x")]), ("b", vec![step("x")])])]).await;
    let (first, last) = (t.session().await, t.session().await);
    t.start(&flow, "order-1").await;
    let (a, b) = (t.claim(first, &flow, 1).await.remove(0), t.claim(last, &flow, 1).await.remove(0));
    assert_eq!(t.succeed_keeping(&flow, &a, first, 5).await.kept, []);
    let kept = t.succeed_keeping(&flow, &b, last, 5).await.kept;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].state.node.as_str(), "all");
    t.expect_nothing_due(&flow).await;
    assert!(t.succeed(&flow, &kept[0]).await.ended);
}

pub async fn no_more_branches_are_kept_than_asked_for(t: Fixture) {
    let names = ["a", "b", "c", "d", "e"];
    let flow = t.flow("wide", [step("charge"), wide("all", &names)]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    let committed = t.succeed_keeping(&flow, &charge, session, 2).await;
    assert_eq!((committed.kept.len(), committed.let_go), (2, true));
    let rest = t.claim(t.session().await, &flow, 10).await;
    let mut scopes: Vec<&str> = committed.kept.iter().chain(&rest).map(|branch| branch.scope.as_str()).collect();
    scopes.sort();
    assert_eq!(scopes, names);
}

pub async fn a_branch_that_sleeps_tells_when_it_wakes(t: Fixture) {
    let branches = [("a", vec![delay("nap", 900)]), ("b", vec![delay("nap", 400)]), ("c", vec![step("x")])];
    let flow = t.flow("wide", [step("charge"), joined("all", branches)]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let committed = t.succeed(&flow, &charge).await;
    let next_due_at = Some(t.now().plus(400));
    assert_eq!(committed, Committed { let_go: true, next_due_at, ..Committed::default() });
}

pub async fn a_fork_of_forks_joins_from_the_inside_out(t: Fixture) {
    let inner = || joined("in", [("x", vec![step("a")]), ("y", vec![step("b"), step("c")])]);
    let branches = [
        ("l", vec![inner(), step("after")]),
        ("m", vec![step("d"), inner()]),
        ("r", vec![forked("f", [("z", vec![step("e")])])]),
    ];
    let flow = t.flow("nested", [forked("out", branches)]).await;
    let run = t.start(&flow, "order-1").await;
    t.work_off(&flow).await;
    assert_eq!(t.state(run).await, RunState::Completed { output: "out".into() });
    let mut told = t.told(run).await;
    told.sort();
    let expected = [
        "#0",
        "l/after#1",
        "l/in#1",
        "l/x/a#1",
        "l/y/b#1",
        "l/y/c#1",
        "m/d#1",
        "m/in#1",
        "m/x/a#1",
        "m/y/b#1",
        "m/y/c#1",
        "out#1",
        "r/f#1",
        "r/z/e#1",
    ];
    assert_eq!(told, expected);
    let output = json(r#"{"l":"output of l/after","m":"output of m/in","r":{"z":"output of r/z/e"}}"#);
    assert_eq!(t.result(run, "out").await, Some(output));
}

pub async fn branches_of_one_scope_name_do_not_meet(t: Fixture) {
    // The same branch names on three levels: only the whole scope tells them apart.
    let inner = joined("in", [("a", vec![step("x")]), ("b", vec![step("x")])]);
    let flow = t.flow("nested", [joined("out", [("a", vec![inner]), ("b", vec![step("x")])]), step("x")]).await;
    let run = t.start(&flow, "order-1").await;
    t.work_off(&flow).await;
    assert_eq!(t.state(run).await, RunState::Completed { output: "x".into() });
    for path in ["x", "b/x", "a/a/x", "a/b/x"] {
        assert_eq!(t.result(run, path).await, Some(json(&format!("\"output of {path}\""))));
    }
}

pub async fn a_branch_that_fails_for_good_ends_the_run_and_its_siblings(t: Fixture) {
    let flow = two_branches(&t).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    t.succeed(&flow, &t.claim_one(session, &flow).await).await;
    let branches = t.claim(session, &flow, 10).await;
    assert!(t.fail(&flow, &branches[0]).await.ended);
    assert_eq!(t.try_succeed(&flow, &branches[1]).await, Err(Refused::StaleFence));
    assert_eq!(t.result(run, "ship/pick").await, None);
    assert_eq!(t.record("order-1").await.open, []);
    assert_eq!(t.store.held(session).await, Ok(vec![]));
    t.expect_nothing_due(&flow).await;
}

pub async fn branches_that_end_in_one_batch_join_once(t: Fixture) {
    let flow = t.flow("wide", [wide("all", &["a", "b", "c", "d"])]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let branches = t.claim(session, &flow, 10).await;
    let turns = branches.iter().map(|branch| {
        let outcome = pawl_core::turn::Outcome::Succeeded(output_of(branch));
        turn_of(branch, t.decide(&flow, branch, outcome), Some((session, 1)))
    });
    let answers = t.store.commit(turns.collect()).await.expect("the store answers");
    let kept: Vec<usize> = answers.iter().map(|answer| answer.as_ref().expect("granted").kept.len()).collect();
    assert_eq!(kept, [0, 0, 0, 1]);
    t.expect_nothing_due(&flow).await;
}
