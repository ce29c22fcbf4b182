//! The deadline of a run as a whole.

use super::fixture::*;
use super::pieces::*;
use crate::Refused;
use pawl_core::{ErrorCode, Flow, RunState};

async fn hasty(t: &Fixture) -> Flow {
    t.register(&definition("hasty", Some(3_000), vec![step("charge"), signal("ok"), step("ship")])).await
}

pub async fn a_claim_tells_the_deadline_of_its_run(t: Fixture) {
    let flow = hasty(&t).await;
    t.start(&flow, "order-1").await;
    let deadline_at = Some(t.now().plus(3_000));
    assert_eq!(t.record("order-1").await.deadline_at, deadline_at);
    t.clock.advance(10);
    let claims = t.claims(t.session().await, &[&flow], 5).await;
    assert_eq!((claims.claimed.len(), claims.next_due_at), (1, deadline_at));
    assert_eq!(claims.claimed[0].run_deadline_at, deadline_at);
}

pub async fn a_run_that_is_too_late_fails_and_what_is_in_flight_is_refused(t: Fixture) {
    let flow = hasty(&t).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    let charge = t.claim_one(session, &flow).await;
    t.clock.advance(3_000);
    let deadline = t.claim_one(session, &flow).await;
    assert_eq!(deadline.scope.as_str(), pawl_core::branch::DEADLINE_SCOPE);
    assert!(t.work(&flow, &deadline).await.expect("the claim is good").ended);
    let state = t.state(run).await;
    assert!(matches!(&state, RunState::Failed(failure) if failure.code == ErrorCode::RunDeadline), "{state:?}");
    assert_eq!(t.try_succeed(&flow, &charge).await, Err(Refused::StaleFence));
    assert_eq!(t.record("order-1").await.open, []);
}

pub async fn a_parked_run_meets_its_deadline_too(t: Fixture) {
    let flow = hasty(&t).await;
    let run = t.start(&flow, "order-1").await;
    t.work_off(&flow).await;
    assert_eq!(t.state(run).await, RunState::Running);
    t.clock.advance(3_000);
    t.work_off(&flow).await;
    assert!(matches!(t.state(run).await, RunState::Failed(_)));
}

pub async fn a_run_that_ends_in_time_leaves_no_deadline_behind(t: Fixture) {
    let flow = hasty(&t).await;
    let run = t.start(&flow, "order-1").await;
    t.signal("order-1", "ok", "1").await;
    t.work_off(&flow).await;
    assert_eq!(t.state(run).await, RunState::Completed { output: "ship".into() });
    assert_eq!(t.record("order-1").await.open, []);
    t.clock.advance(3_000);
    t.expect_nothing_due(&flow).await;
}

pub async fn a_pause_holds_the_deadline_as_well(t: Fixture) {
    let flow = hasty(&t).await;
    let run = t.start(&flow, "order-1").await;
    t.pause("order-1").await;
    t.clock.advance(3_000);
    t.expect_nothing_due(&flow).await;
    assert!(t.resume("order-1").await.let_go);
    let claimed = t.claim(t.session().await, &flow, 5).await;
    assert_eq!(claimed.len(), 2, "the step and the deadline");
    t.work(&flow, claimed.last().expect("two")).await.expect("the claim is good");
    assert!(!matches!(t.state(run).await, RunState::Paused { .. }));
}
