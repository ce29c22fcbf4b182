//! Pause, resume and cancel: changes of a whole run.

use super::fixture::*;
use super::pieces::*;
use crate::{Committed, Refused, SignalReceipt};
use pawl_core::run::Control;
use pawl_core::{Phase, RunState};

fn cancel() -> Control {
    Control::Cancel { reason: None, by: None }
}

pub async fn hold_keeps_due_work_back_and_release_hands_it_out(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    t.start(&flow, "order-2").await;
    let committed = t.control("order-1", Control::Pause { reason: Some("why".into()), by: None }).await;
    assert_eq!(committed, Ok(Committed::default()));
    assert_eq!(t.state(run).await, RunState::Paused { reason: Some("why".into()), by: None });
    let other = t.claim_one(t.session().await, &flow).await;
    assert_eq!(other.run_id.as_str(), "order-2", "another run goes on");
    t.clock.advance(TTL_MS);
    assert_eq!(t.resume("order-1").await, Committed { let_go: true, ..Committed::default() });
    let claimed = t.claim_one(t.session().await, &flow).await;
    assert_eq!((claimed.run, claimed.attempt), (run, 1));
    assert!(t.succeed(&flow, &claimed).await.ended);
    assert_eq!(t.told(run).await, ["#0", "paused", "resumed", "charge#1"]);
}

pub async fn a_success_in_flight_is_recorded_while_paused_and_nothing_new_starts(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    t.pause("order-1").await;
    let committed = t.succeed_keeping(&flow, &charge, session, 5).await;
    assert_eq!(committed, Committed::default(), "neither kept nor let go");
    assert_eq!(t.result(run, "charge").await, Some(output_of(&charge)));
    t.expect_nothing_due(&flow).await;
    t.resume("order-1").await;
    let ship = t.claim_one(session, &flow).await;
    assert_eq!((ship.state.node.as_str(), ship.input), ("ship", Some(output_of(&charge))));
}

pub async fn a_paused_run_whose_last_step_is_in_flight_completes(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    t.pause("order-1").await;
    assert!(t.succeed(&flow, &charge).await.ended);
    assert_eq!(t.state(run).await, RunState::Completed { output: "charge".into() });
}

pub async fn branches_that_begin_while_paused_are_held(t: Fixture) {
    let flow = t.flow("wide", [step("charge"), wide("all", &["a", "b"])]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    t.pause("order-1").await;
    assert_eq!(t.succeed_keeping(&flow, &charge, session, 5).await, Committed::default());
    t.expect_nothing_due(&flow).await;
    t.resume("order-1").await;
    let branches = t.claim(session, &flow, 10).await;
    assert_eq!(branches.len(), 2);

    t.pause("order-1").await;
    for branch in &branches {
        assert_eq!(t.succeed_keeping(&flow, branch, session, 5).await, Committed::default(), "the join is held too");
    }
    t.expect_nothing_due(&flow).await;
    t.resume("order-1").await;
    assert_eq!(t.claim_one(session, &flow).await.state.node.as_str(), "all");
}

pub async fn what_falls_due_during_a_pause_is_due_when_it_ends(t: Fixture) {
    let flow = t.flow("checkout", [delay("nap", 1_000), step("ship")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.start(&flow, "order-2").await;
    t.pause("order-1").await;
    t.pause("order-2").await;
    assert_eq!(t.claims(session, &[&flow], 5).await.next_due_at, None, "held work has no time");
    t.clock.advance(400);
    assert_eq!(t.resume("order-2").await.next_due_at, Some(t.now().plus(600)));
    t.clock.advance(600);
    assert_eq!(t.claim_one(session, &flow).await.run_id.as_str(), "order-2");
    t.clock.advance(5_000);
    t.expect_nothing_due(&flow).await;
    assert!(t.resume("order-1").await.let_go);
    assert_eq!(t.claim_one(session, &flow).await.run_id.as_str(), "order-1");
}

pub async fn a_claim_handed_back_while_paused_stays_held(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let claimed = t.claim_one(session, &flow).await;
    t.pause("order-1").await;
    t.hand_back(&claimed, true).await;
    t.expect_nothing_due(&flow).await;
    t.resume("order-1").await;
    assert_eq!(t.claim_one(session, &flow).await.attempt, 2);
}

pub async fn a_claim_lost_while_paused_stays_held(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start(&flow, "order-1").await;
    t.claim_one(t.session().await, &flow).await;
    t.pause("order-1").await;
    t.clock.advance(TTL_MS);
    assert_eq!(t.store.reap().await.expect("the store answers").freed, 1);
    t.expect_nothing_due(&flow).await;
    t.resume("order-1").await;
    assert_eq!(t.claim_one(t.session().await, &flow).await.crashes, 1);
}

pub async fn a_claim_outlives_a_pause(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    t.pause("order-1").await;
    t.resume("order-1").await;
    t.expect_nothing_due(&flow).await;
    assert!(t.succeed(&flow, &charge).await.let_go);
}

pub async fn a_failure_while_paused_waits_for_the_resume(t: Fixture) {
    let flow = t.flow("checkout", [retried("charge", 3, 50)]).await;
    t.start(&flow, "order-1").await;
    let charge = t.claim_one(t.session().await, &flow).await;
    t.pause("order-1").await;
    assert_eq!(t.fail(&flow, &charge).await, Committed::default());
    t.clock.advance(50);
    t.expect_nothing_due(&flow).await;
    t.resume("order-1").await;
    assert_eq!(t.claim_one(t.session().await, &flow).await.state.failures, 1);
}

pub async fn a_message_to_a_paused_run_is_read_after_the_resume(t: Fixture) {
    let flow = t.flow("checkout", [signal("ok"), step("ship")]).await;
    let run = t.start(&flow, "order-1").await;
    t.pause("order-1").await;
    let receipt = t.signal("order-1", "ok", "1").await;
    assert!(matches!(receipt, SignalReceipt::Accepted { .. }), "{receipt:?}");
    t.expect_nothing_due(&flow).await;
    assert!(t.resume("order-1").await.let_go);
    t.work_off(&flow).await;
    assert_eq!(t.result(run, "ok").await, Some(json("1")));
}

pub async fn cancel_removes_every_branch_and_refuses_what_is_in_flight(t: Fixture) {
    let branches =
        [("a", vec![step("x")]), ("b", vec![step("x")]), ("c", vec![delay("nap", 10)]), ("d", vec![signal("ok")])];
    let flow = t.flow("wide", [joined("all", branches)]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    let a = t.claim(session, &flow, 1).await.remove(0);
    t.clock.advance(3);
    t.cancel("order-1").await;
    let record = t.record("order-1").await;
    assert_eq!(record.state, RunState::Cancelled { reason: Some("why".into()), by: None });
    assert_eq!((record.open, record.ended_at), (vec![], Some(t.now())));
    t.clock.advance(1_000);
    t.expect_nothing_due(&flow).await;
    assert_eq!(t.try_succeed(&flow, &a).await, Err(Refused::StaleFence));
    assert_eq!(t.told(run).await, ["#0", "cancelled"]);
    assert_eq!(t.store.held(session).await, Ok(vec![]));
}

pub async fn a_paused_run_can_be_cancelled(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    t.pause("order-1").await;
    t.cancel("order-1").await;
    assert!(t.state(run).await.is_terminal());
    t.expect_nothing_due(&flow).await;
}

pub async fn of_two_changes_of_a_run_decided_at_once_one_is_refused(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start(&flow, "order-1").await;
    let pause = t.control_of("order-1", Control::Pause { reason: None, by: None }).await;
    let cancel = t.control_of("order-1", cancel()).await;
    assert_eq!(t.commit(pause.clone()).await, Ok(Committed::default()));
    let before = t.trace("order-1").await;
    for late in [cancel, pause] {
        assert_eq!(t.commit(late).await, Err(Refused::VersionMoved));
        assert_eq!(t.trace("order-1").await, before);
    }
}

pub async fn a_cancel_decided_before_the_run_completed_is_refused(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    let late = t.control_of("order-1", cancel()).await;
    t.succeed(&flow, &t.claim_one(t.session().await, &flow).await).await;
    assert_eq!(t.commit(late).await, Err(Refused::VersionMoved));
    assert_eq!(t.state(run).await, RunState::Completed { output: "charge".into() });
}

pub async fn a_step_in_between_does_not_refuse_a_pause(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    let pause = t.control_of("order-1", Control::Pause { reason: None, by: None }).await;
    t.succeed(&flow, &t.claim_one(t.session().await, &flow).await).await;
    assert_eq!(t.commit(pause).await, Ok(Committed::default()));
    t.expect_nothing_due(&flow).await;
    let record = t.record("order-1").await;
    assert!(record.open.iter().all(|branch| branch.state.phase == Phase::Ready), "{record:?}");
}

pub async fn a_change_of_a_run_that_does_not_exist_is_refused(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start(&flow, "order-1").await;
    let pawl_core::Commit::Run(mut commit) = t.control_of("order-1", cancel()).await else { unreachable!() };
    commit.run = pawl_core::RunNo(i64::MAX);
    assert_eq!(t.commit(pawl_core::Commit::Run(commit)).await, Err(Refused::VersionMoved));
}
