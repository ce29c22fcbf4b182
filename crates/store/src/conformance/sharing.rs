//! Two handles on the same data: two processes, as far as a store can tell.

use super::fixture::*;
use super::pieces::*;
use super::storms::{claim_from, expect_each_once};
use crate::{FlowLookup, Refused, StartRefusal};
use pawl_core::RunState;

pub async fn what_one_handle_commits_the_other_sees(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let other = t.other();
    assert!(other.store.find_flow(FlowLookup::Hash(flow.hash.clone())).await.expect("the store answers").is_some());
    t.start(&flow, "order-1").await;
    assert_eq!(t.trace("order-1").await, other.trace("order-1").await);
    let charge = other.claim_one(other.session().await, &flow).await;
    t.expect_nothing_due(&flow).await;
    other.succeed(&flow, &charge).await;
    assert_eq!(t.try_succeed(&flow, &charge).await, Err(Refused::StaleFence));
    let ship = t.claim_one(t.session().await, &flow).await;
    assert_eq!(ship.input, Some(output_of(&charge)));
    t.succeed(&flow, &ship).await;
    assert_eq!(other.state(ship.run).await, RunState::Completed { output: "ship".into() });
    assert_eq!(t.trace("order-1").await, other.trace("order-1").await);
}

pub async fn an_id_is_taken_for_both_handles(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let other = t.other();
    t.start(&flow, "order-1").await;
    let refusal = other.try_start(other.new_run(&flow, "order-1")).await;
    assert_eq!(refusal, Err(StartRefusal::Exists { state: RunState::Running }));
}

pub async fn a_handle_notices_what_the_other_commits(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let other = t.other();
    let mut changes = other.store.foreign_changes();
    // Whatever happened until now is not what is waited for.
    for round in 0..3 {
        changes.borrow_and_update();
        t.start(&flow, &format!("order-{round}")).await;
        changes.changed().await.expect("the store lives");
        let seen = other.claim(other.session().await, &flow, 10).await;
        assert_eq!(seen.len(), 1, "it is there when it is told");
    }
}

pub async fn sessions_of_both_handles_never_get_the_same_branch(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start_many(&flow, "order", 150).await;
    let fixtures = (0..8).map(|at| if at % 2 == 0 { t.clone() } else { t.other() }).collect();
    expect_each_once(&claim_from(fixtures, &flow).await);
}

pub async fn a_worker_that_dies_is_replaced_through_the_other_handle(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let other = t.other();
    t.start(&flow, "order-1").await;
    let lost = t.claim_one(t.session().await, &flow).await;
    t.clock.advance(TTL_MS);
    assert_eq!(other.store.reap().await.expect("the store answers").freed, 1);
    let again = other.claim_one(other.session().await, &flow).await;
    assert_eq!(t.try_succeed(&flow, &lost).await, Err(Refused::StaleFence));
    assert!(other.succeed(&flow, &again).await.ended);
}

pub async fn the_other_handle_outlives_a_close(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let other = t.other();
    t.start(&flow, "order-1").await;
    t.store.close().await.expect("closed");
    let charge = other.claim_one(other.session().await, &flow).await;
    assert!(other.succeed(&flow, &charge).await.ended);
}
