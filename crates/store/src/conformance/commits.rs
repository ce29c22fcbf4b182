//! Turns of one branch: all or nothing, and only by its owner.

use super::fixture::*;
use super::pieces::*;
use crate::{Committed, Refused};
use pawl_core::turn::Outcome;
use pawl_core::{Change, Commit, Decision, Fence, Millis, NewBranch, Path, ResultWrite, RunState, Value};

pub async fn a_stale_fence_is_refused_and_leaves_no_trace(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let old = t.claim_one(session, &flow).await;
    t.hand_back(&old, true).await;
    let new = t.claim_one(session, &flow).await;
    let before = t.trace("order-1").await;
    for outcome in [Outcome::Succeeded(json("1")), Outcome::Failed(thrown()), Outcome::TimedOut] {
        assert_eq!(t.turn(&flow, &old, outcome).await, Err(Refused::StaleFence));
    }
    assert_eq!(t.trace("order-1").await, before);
    t.succeed(&flow, &new).await;
}

pub async fn a_turn_is_committed_once(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    t.succeed(&flow, &charge).await;
    let before = t.trace("order-1").await;
    assert_eq!(t.try_succeed(&flow, &charge).await, Err(Refused::StaleFence));
    assert_eq!(t.trace("order-1").await, before);
}

pub async fn a_branch_that_nobody_holds_takes_no_turn(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let claimed = t.claim_one(t.session().await, &flow).await;
    t.hand_back(&claimed, false).await;
    let before = t.trace("order-1").await;
    for fence in 0..20 {
        let guess = pawl_core::turn::Claimed { fence: Fence(fence), ..claimed.clone() };
        assert_eq!(t.try_succeed(&flow, &guess).await, Err(Refused::StaleFence), "fence {fence}");
    }
    assert_eq!(t.trace("order-1").await, before);
}

pub async fn a_taken_result_refuses_the_whole_commit(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let before = t.trace("order-1").await;
    for (first, second) in [("charge", ""), ("", "charge"), ("charge", "charge")] {
        let mut decision = t.decide(&flow, &charge, Outcome::Succeeded(output_of(&charge)));
        let write = |path: &str| ResultWrite { path: path.into(), value: Value::New(json("\"a second one\"")) };
        decision.results = vec![write(first), write(second)];
        assert_eq!(t.commit(turn_of(&charge, decision, None)).await, Err(Refused::StaleFence));
        assert_eq!(t.trace("order-1").await, before, "\"{first}\" then \"{second}\"");
    }
    assert_eq!(t.result(charge.run, "charge").await, None);
    assert_eq!(t.result(charge.run, "").await, Some(input_of("order-1")));
    t.succeed(&flow, &charge).await;
}

pub async fn a_refused_commit_does_not_touch_its_neighbours(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    let runs = t.start_many(&flow, "order", 5).await;
    let claimed = t.claim(session, &flow, 5).await;
    t.hand_back(&claimed[1], true).await;
    t.cancel("order-3").await;
    let turns: Vec<Commit> = claimed
        .iter()
        .map(|claimed| turn_of(claimed, t.decide(&flow, claimed, Outcome::Succeeded(output_of(claimed))), None))
        .collect();
    let answers = t.store.commit(turns).await.expect("the store answers");
    let ended = Ok(Committed { ended: true, ..Committed::default() });
    let stale = Err(Refused::StaleFence);
    assert_eq!(answers, [ended.clone(), stale.clone(), ended.clone(), stale, ended]);
    for (at, is_done) in [true, false, true, false, true].into_iter().enumerate() {
        assert_eq!(t.result(runs[at], "charge").await.is_some(), is_done, "order-{at}");
    }
}

pub async fn two_turns_of_one_claim_in_one_batch_are_one_turn(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let turn = turn_of(&charge, t.decide(&flow, &charge, Outcome::Succeeded(output_of(&charge))), None);
    let answers = t.store.commit(vec![turn.clone(), turn]).await.expect("the store answers");
    assert_eq!(answers[0], Ok(Committed { let_go: true, ..Committed::default() }));
    assert_eq!(answers[1], Err(Refused::StaleFence));
}

pub async fn a_successor_that_is_let_go_is_handed_out_with_its_input(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let committed = t.succeed(&flow, &charge).await;
    assert_eq!(committed, Committed { let_go: true, ..Committed::default() });
    let ship = t.claim_one(t.session().await, &flow).await;
    assert_eq!((ship.state.node.as_str(), ship.attempt), ("ship", 1));
    assert_eq!(ship.input, Some(output_of(&charge)));
    assert!(ship.fence > charge.fence);
}

pub async fn a_kept_successor_is_claimed_in_the_same_commit(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), timed("ship", 700), step("thank")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    let committed = t.succeed_keeping(&flow, &charge, session, 1).await;
    assert_eq!((committed.kept.len(), committed.let_go, committed.ended), (1, false, false));
    let ship = &committed.kept[0];
    assert_eq!((ship.state.node.as_str(), ship.attempt, ship.deadline_at), ("ship", 1, Some(t.now().plus(700))));
    assert!(ship.fence > charge.fence);
    assert_eq!(ship.input, None, "the caller has just written it");
    t.expect_nothing_due(&flow).await;
    let kept = t.succeed_keeping(&flow, ship, session, 1).await.kept;
    assert!(t.succeed(&flow, &kept[0]).await.ended);
}

pub async fn what_a_delay_passed_on_comes_with_the_kept_successor(t: Fixture) {
    let flow = t.flow("checkout", [delay("nap", 100), step("ship")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.clock.advance(100);
    let nap = t.claim_one(session, &flow).await;
    let turn = turn_of(&nap, t.decide(&flow, &nap, Outcome::SleepEnded), Some((session, 1)));
    let committed = t.commit(turn).await.expect("the claim is good");
    assert_eq!(committed.kept.len(), 1);
    assert_eq!(committed.kept[0].input, Some(input_of("order-1")));
}

pub async fn a_successor_that_sleeps_is_neither_kept_nor_let_go(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), delay("nap", 800), step("ship")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    let committed = t.succeed_keeping(&flow, &charge, session, 5).await;
    let expected = Committed { next_due_at: Some(t.now().plus(800)), ..Committed::default() };
    assert_eq!(committed, expected);
    assert_eq!(t.claims(session, &[&flow], 5).await.next_due_at, expected.next_due_at);
}

pub async fn nothing_is_kept_for_a_session_that_is_gone(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let (session, gone) = (t.session().await, t.session().await);
    t.store.close_session(gone).await.expect("the store answers");
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    let committed = t.succeed_keeping(&flow, &charge, gone, 1).await;
    assert_eq!(committed, Committed { let_go: true, ..Committed::default() });
    t.claim_one(session, &flow).await;
}

pub async fn the_last_result_and_the_end_of_the_run_are_one_commit(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    t.clock.advance(40);
    let charge = t.claim_one(t.session().await, &flow).await;
    let committed = t.succeed(&flow, &charge).await;
    assert_eq!(committed, Committed { ended: true, ..Committed::default() });
    let record = t.record("order-1").await;
    assert_eq!(record.state, RunState::Completed { output: "charge".into() });
    assert_eq!((record.ended_at, record.open), (Some(t.now()), vec![]));
    assert_eq!(t.result(run, "charge").await, Some(output_of(&charge)));
    t.clock.advance(TTL_MS * 100);
    t.expect_nothing_due(&flow).await;
}

pub async fn a_copy_of_nothing_is_refused(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    let before = t.trace("order-1").await;
    let mut decision = t.decide(&flow, &charge, Outcome::Succeeded(json("1")));
    decision.results[0].value = Value::CopyOf(Path::from("nowhere"));
    decision.change = Change::End(RunState::Completed { output: "charge".into() });
    assert_eq!(t.commit(turn_of(&charge, decision, None)).await, Err(Refused::StaleFence));
    assert_eq!(t.trace("order-1").await, before);
}

pub async fn a_change_that_does_not_fit_leaves_no_trace(t: Fixture) {
    let flow = t.flow("wide", [wide("all", &["a", "b"]), step("end")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let a = t.claim(session, &flow, 10).await.remove(0);
    let before = t.trace("order-1").await;
    let fitting = t.decide(&flow, &a, Outcome::Succeeded(json("1")));
    let begun = |scope: &str| NewBranch { scope: scope.into(), state: a.state.clone() };
    let odd = [
        // Nobody waits there: it walks, it is itself, it does not exist.
        Change::Arrive { at: "b".into(), last: a.state.clone() },
        Change::Arrive { at: "a".into(), last: a.state.clone() },
        Change::Arrive { at: "nowhere".into(), last: a.state.clone() },
        Change::Fork { joining: a.state.clone(), branches: vec![begun("a/x"), begun("b")] },
    ];
    for change in odd {
        let turn = turn_of(&a, Decision { change: change.clone(), ..fitting.clone() }, None);
        let answer = t.store.commit(vec![turn]).await;
        assert!(!matches!(answer.as_deref(), Ok([Ok(_)])), "{answer:?} to {change:?}");
        assert_eq!(t.trace("order-1").await, before, "{change:?}");
    }
    t.succeed(&flow, &a).await;
}

pub async fn a_moment_in_the_past_is_due_at_once(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), until_long_ago(), step("ship")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    let committed = t.succeed_keeping(&flow, &charge, session, 1).await;
    assert_eq!((committed.kept.len(), committed.next_due_at), (1, None::<Millis>));
    let kept = t.work(&flow, &committed.kept[0]).await.expect("the claim is good");
    assert!(kept.let_go);
}
