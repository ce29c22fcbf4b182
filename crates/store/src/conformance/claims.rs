//! Handing out due work.

use super::fixture::*;
use super::pieces::*;
use crate::{ClaimAsk, ClaimFilter};
use pawl_core::SessionNo;
use pawl_core::turn::Outcome;

pub async fn a_claim_carries_all_that_an_attempt_needs(t: Fixture) {
    let flow = t.flow("checkout", [timed("charge", 5_000)]).await;
    let run = t.start(&flow, "order-1").await;
    t.clock.advance(70);
    let claimed = t.claim_one(t.session().await, &flow).await;
    assert_eq!((claimed.run, claimed.run_id.as_str(), &claimed.flow), (run, "order-1", &flow.hash));
    assert_eq!((claimed.state.node.as_str(), claimed.attempt, claimed.crashes), ("charge", 1, 0));
    assert_eq!(claimed.deadline_at, Some(t.now().plus(5_000)));
    assert_eq!((claimed.lost_deadline_at, claimed.run_deadline_at), (None, None));
    assert_eq!(claimed.input, Some(input_of("order-1")));
    assert!(!claimed.signal_ready);
}

pub async fn what_is_claimed_is_not_handed_out_again(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let claimed = t.claim_one(session, &flow).await;
    t.clock.advance(TTL_MS * 10);
    // Only reaping frees it, never time alone.
    t.expect_nothing_due(&flow).await;
    assert_eq!(t.claim(session, &flow, 10).await, []);
    t.succeed(&flow, &claimed).await;
    t.expect_nothing_due(&flow).await;
}

pub async fn what_is_ready_does_not_wait_for_a_clock_that_was_set_back(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let asking = t.flow("asking", [patient("ok", "ok", 10_000)]).await;
    let sleeping = t.flow("sleeping", [delay("nap", 10_000)]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.start(&asking, "order-2").await;
    t.start(&sleeping, "order-3").await;
    t.signal("order-2", "ok", "1").await;
    t.clock.advance(-7_200_000);
    t.claim_one(session, &flow).await;
    assert!(t.claim_one(session, &asking).await.signal_ready);
    t.expect_nothing_due(&sleeping).await;
}

pub async fn a_claim_raises_the_fence(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let mut last = t.claim_one(session, &flow).await;
    for _ in 0..3 {
        t.hand_back(&last, true).await;
        let next = t.claim_one(session, &flow).await;
        assert!(next.fence > last.fence, "{} after {}", next.fence, last.fence);
        last = next;
    }
}

pub async fn no_more_is_handed_out_than_asked_for(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start_many(&flow, "order", 5).await;
    let counts = [
        t.claim(session, &flow, 0).await.len(),
        t.claim(session, &flow, 3).await.len(),
        t.claim(session, &flow, 3).await.len(),
        t.claim(session, &flow, 3).await.len(),
    ];
    assert_eq!(counts, [0, 3, 2, 0]);
}

pub async fn work_is_handed_out_in_the_order_it_became_due(t: Fixture) {
    let flow = t.flow("checkout", [retried("charge", 9, 0)]).await;
    let session = t.session().await;
    for (id, wait_ms) in [("slow", 3_000), ("fast", 1_000), ("middle", 2_000)] {
        t.start(&flow, id).await;
        let claimed = t.claim_one(session, &flow).await;
        let mut thrown = thrown();
        thrown.retry_after_ms = Some(wait_ms);
        t.turn(&flow, &claimed, Outcome::Failed(thrown)).await.expect("the claim is good");
    }
    t.clock.advance(2_500);
    t.start(&flow, "new").await;
    t.clock.advance(2_500);
    let mut order = Vec::new();
    for _ in 0..4 {
        order.extend(t.claim(session, &flow, 1).await.into_iter().map(|claimed| claimed.run_id.to_string()));
    }
    assert_eq!(order, ["fast", "middle", "new", "slow"]);
}

pub async fn flows_take_turns_within_one_claim(t: Fixture) {
    let (busy, calm) = two_flows_with_a_backlog(&t).await;
    let claimed = t.claims(t.session().await, &[&busy, &calm], 4).await.claimed;
    let calm_share = claimed.iter().filter(|claimed| claimed.flow == calm.hash).count();
    assert_eq!((claimed.len(), calm_share), (4, 2), "{claimed:#?}");
}

pub async fn flows_take_turns_from_claim_to_claim(t: Fixture) {
    let (busy, calm) = two_flows_with_a_backlog(&t).await;
    let session = t.session().await;
    let mut flows = Vec::new();
    for _ in 0..4 {
        flows.extend(t.claims(session, &[&busy, &calm], 1).await.claimed.into_iter().map(|claimed| claimed.flow));
    }
    let calm_share = flows.iter().filter(|flow| **flow == calm.hash).count();
    assert_eq!((flows.len(), calm_share), (4, 2), "{flows:?}");
}

pub async fn a_flow_without_due_work_costs_no_turn(t: Fixture) {
    let (busy, calm) = two_flows_with_a_backlog(&t).await;
    let claimed = t.claims(t.session().await, &[&busy, &calm], 15).await.claimed;
    let calm_share = claimed.iter().filter(|claimed| claimed.flow == calm.hash).count();
    assert_eq!((claimed.len(), calm_share), (15, 3));
}

async fn two_flows_with_a_backlog(t: &Fixture) -> (pawl_core::Flow, pawl_core::Flow) {
    let busy = t.flow("busy", [step("work")]).await;
    let calm = t.flow("calm", [step("work")]).await;
    t.start_many(&busy, "busy", 20).await;
    t.clock.advance(1_000);
    t.start_many(&calm, "calm", 3).await;
    (busy, calm)
}

pub async fn work_outside_the_filter_never_hides_work_inside(t: Fixture) {
    let foreign = t.flow("foreign", [step("work")]).await;
    let mine = t.flow("mine", [step("work")]).await;
    t.start_many(&foreign, "foreign", 300).await;
    t.clock.advance(1);
    t.start(&mine, "mine").await;
    let claimed = t.claim(t.session().await, &mine, 1).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].run_id.as_str(), "mine");
    assert_eq!(t.claims(t.session().await, &[], 10).await, Default::default(), "no flow, no work");
}

pub async fn one_run_can_be_asked_for_its_work(t: Fixture) {
    let flow = t.flow("wide", [joined("all", [("a", vec![step("x")]), ("b", vec![delay("nap", 500)])])]).await;
    let session = t.session().await;
    t.start_many(&flow, "other", 3).await;
    t.clock.advance(5);
    let run = t.start(&flow, "mine").await;
    let ask = ClaimAsk { session, filter: ClaimFilter::Run(run), limit: 10 };
    let claims = t.ask(ask.clone()).await;
    assert_eq!(claims.claimed.len(), 1);
    assert_eq!((claims.claimed[0].run, claims.claimed[0].scope.as_str()), (run, "a"));
    assert_eq!(claims.next_due_at, Some(t.now().plus(500)));
    t.clock.advance(500);
    let claims = t.ask(ask).await;
    assert_eq!(claims.claimed.len(), 1);
    assert_eq!((claims.claimed[0].scope.as_str(), claims.next_due_at), ("b", None));
}

pub async fn nothing_is_handed_out_before_its_time(t: Fixture) {
    let flow = t.flow("checkout", [delay("nap", 1_000)]).await;
    t.start(&flow, "order-1").await;
    t.clock.advance(999);
    t.expect_nothing_due(&flow).await;
    t.clock.advance(1);
    let claimed = t.claim_one(t.session().await, &flow).await;
    assert_eq!(claimed.input, None, "a delay runs no function");
    assert!(t.work(&flow, &claimed).await.expect("the claim is good").ended);
    assert_eq!(t.result(claimed.run, "nap").await, Some(input_of("order-1")));
}

pub async fn a_claim_tells_when_more_becomes_due(t: Fixture) {
    let flow = t.flow("checkout", [delay("nap", 1_000)]).await;
    let foreign = t.flow("foreign", [delay("nap", 10)]).await;
    let session = t.session().await;
    assert_eq!(t.claims(session, &[&flow], 10).await, Default::default());
    t.start(&flow, "order-1").await;
    t.start(&foreign, "foreign").await;
    let first_due_at = t.now().plus(1_000);
    t.clock.advance(300);
    t.start(&flow, "order-2").await;
    assert_eq!(t.claims(session, &[&flow], 10).await.next_due_at, Some(first_due_at));
    let later = t.flow("later", [delay("nap", 50_000)]).await;
    t.start(&later, "later").await;
    for both in [[&flow, &later], [&later, &flow]] {
        assert_eq!(t.claims(session, &both, 10).await.next_due_at, Some(first_due_at), "the first of all flows");
    }
    t.clock.advance(700);
    let claims = t.claims(session, &[&flow], 10).await;
    assert_eq!((claims.claimed.len(), claims.next_due_at), (1, Some(t.now().plus(300))));
    t.clock.advance(300);
    let claims = t.claims(session, &[&flow], 10).await;
    assert_eq!((claims.claimed.len(), claims.next_due_at), (1, None));
}

pub async fn a_session_that_is_gone_gets_nothing(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    let (closed, reaped) = (t.session().await, t.session().await);
    t.store.close_session(closed).await.expect("the store answers");
    t.clock.advance(TTL_MS);
    t.store.reap().await.expect("the store answers");
    // What such a session got, nobody would ever take back.
    for gone in [closed, reaped, SessionNo(i64::MAX)] {
        assert_eq!(t.claim(gone, &flow, 10).await, [], "session {gone}");
        let of_run = ClaimAsk { session: gone, filter: ClaimFilter::Run(run), limit: 10 };
        assert_eq!(t.ask(of_run).await.claimed, [], "session {gone}");
    }
    t.claim_one(t.session().await, &flow).await;
}
