//! Workers that live, stop and die.

use super::fixture::*;
use super::pieces::*;
use crate::{ClaimCheck, ClaimFate, HistoryRecord, Reaped, Refused, ResultRecord};
use pawl_core::turn::{Claimed, Work, next_work};
use pawl_core::{ErrorCode, HistoryKind, Millis, RunNo, RunState};

fn check_of(claimed: &Claimed) -> ClaimCheck {
    ClaimCheck { run: claimed.run, scope: claimed.scope.clone(), fence: claimed.fence }
}

async fn reap(t: &Fixture) -> Reaped {
    t.store.reap().await.expect("the store answers")
}

pub async fn a_heartbeat_extends_a_session_from_now(t: Fixture) {
    let session = t.session().await;
    for _ in 0..3 {
        assert_eq!(t.store.heartbeat(session, TTL_MS).await, Ok(true));
    }
    let expiry = t.now().plus(TTL_MS);
    assert_eq!(reap(&t).await, Reaped { freed: 0, next_expiry_at: Some(expiry) }, "absolute, never added up");
    t.clock.advance(TTL_MS - 1);
    assert_eq!(t.store.heartbeat(session, TTL_MS).await, Ok(true));
    t.clock.advance(TTL_MS - 1);
    assert_eq!(reap(&t).await, Reaped { freed: 0, next_expiry_at: Some(expiry.plus(TTL_MS - 1)) });
}

pub async fn a_session_that_was_ended_has_no_heartbeat(t: Fixture) {
    let (closed, reaped) = (t.session().await, t.session().await);
    t.store.close_session(closed).await.expect("the store answers");
    assert_eq!(t.store.heartbeat(closed, TTL_MS).await, Ok(false));
    t.clock.advance(TTL_MS);
    reap(&t).await;
    assert_eq!(t.store.heartbeat(reaped, TTL_MS).await, Ok(false));
    let next = t.session().await;
    assert!(next > closed && next > reaped, "a number is never given twice");
}

pub async fn what_a_dead_session_held_is_due_again_and_counts_as_a_crash(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let (dead, alive) = (t.session_of("dead").await, t.session_of("alive").await);
    t.start(&flow, "order-1").await;
    let lost = t.claim_one(dead, &flow).await;
    t.clock.advance(TTL_MS - 1);
    assert_eq!(reap(&t).await.freed, 0);
    assert_eq!(t.store.heartbeat(alive, TTL_MS).await, Ok(true));
    t.clock.advance(1);
    assert_eq!(reap(&t).await, Reaped { freed: 1, next_expiry_at: Some(t.now().plus(TTL_MS - 1)) });
    assert_eq!(t.try_succeed(&flow, &lost).await, Err(Refused::StaleFence));
    let again = t.claim_one(alive, &flow).await;
    assert_eq!((again.attempt, again.crashes, again.state.failures), (2, 1, 0));
    assert!(again.fence > lost.fence);

    let lines = t.history(again.run).await;
    let Some(HistoryRecord { at, entry: ResultRecord::Event(event) }) = lines.last() else { panic!("{lines:?}") };
    assert_eq!((event.kind, event.path.as_ref()), (HistoryKind::AttemptLost, Some(&"charge".into())));
    assert_eq!(*at, t.now());
    assert!(event.detail.as_ref().is_some_and(|detail| detail.contains("dead")), "{event:?}");
}

pub async fn what_dies_together_again_comes_back_one_run_after_the_other(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start_many(&flow, "order", 3).await;
    for _ in 0..2 {
        let session = t.session().await;
        assert_eq!(t.claim(session, &flow, 5).await.len(), 3);
        t.clock.advance(TTL_MS);
        assert_eq!(reap(&t).await.freed, 3);
    }
    let alive = t.session().await;
    for _ in 0..3 {
        assert_eq!(t.claim(alive, &flow, 5).await.len(), 1);
        t.clock.advance(200);
    }
}

pub async fn only_what_a_dead_session_still_held_is_freed(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let session = t.session().await;
    t.start_many(&flow, "order", 5).await;
    let claimed = t.claim(session, &flow, 5).await;
    t.cancel("order-0").await;
    t.succeed(&flow, &claimed[1]).await;
    t.hand_back(&claimed[2], true).await;
    let kept = t.succeed_keeping(&flow, &claimed[3], session, 1).await.kept;
    assert_eq!(kept.len(), 1);
    t.clock.advance(TTL_MS);
    assert_eq!(reap(&t).await, Reaped { freed: 2, next_expiry_at: None });
    assert_eq!(reap(&t).await, Reaped { freed: 0, next_expiry_at: None });
}

pub async fn a_node_that_kills_its_workers_ends_its_run(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    for crashes in 0..pawl_core::turn::CRASH_COUNT_MAX {
        assert_eq!(t.claim_one(t.session().await, &flow).await.crashes, crashes);
        t.clock.advance(TTL_MS);
        assert_eq!(reap(&t).await.freed, 1);
    }
    t.work_off(&flow).await;
    let state = t.state(run).await;
    assert!(matches!(&state, RunState::Failed(failure) if failure.code == ErrorCode::StepCrashed), "{state:?}");
}

pub async fn crashes_are_counted_for_each_node(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    t.start(&flow, "order-1").await;
    t.claim_one(t.session().await, &flow).await;
    t.clock.advance(TTL_MS);
    reap(&t).await;
    t.succeed(&flow, &t.claim_one(t.session().await, &flow).await).await;
    let ship = t.claim_one(t.session().await, &flow).await;
    assert_eq!((ship.attempt, ship.crashes), (1, 0));
}

pub async fn a_wait_that_is_lost_is_no_crash(t: Fixture) {
    let branches = [("a", vec![delay("nap", 10)]), ("b", vec![patient("wait", "ok", 10)])];
    let flow = t.flow("wide", [joined("all", branches)]).await;
    let run = t.start(&flow, "order-1").await;
    t.clock.advance(10);
    assert_eq!(t.claim(t.session().await, &flow, 10).await.len(), 2);
    t.clock.advance(TTL_MS);
    assert_eq!(reap(&t).await.freed, 2);
    let again = t.claim(t.session().await, &flow, 10).await;
    assert_eq!(again.iter().map(|claimed| claimed.crashes).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(t.told(run).await, ["#0"]);
}

pub async fn the_deadline_of_a_lost_attempt_is_told_once(t: Fixture) {
    let flow = t.flow("checkout", [timed("charge", 5_000)]).await;
    t.start(&flow, "order-1").await;
    let lost = t.claim_one(t.session().await, &flow).await;
    t.clock.advance(TTL_MS);
    reap(&t).await;
    let next = t.claim_one(t.session().await, &flow).await;
    assert_eq!(next.lost_deadline_at, lost.deadline_at);
    assert_eq!(next.deadline_at, Some(t.now().plus(5_000)));
    assert!(matches!(next_work(&flow, &next, t.now()), Work::Settle(_)), "it was too late already");
    t.hand_back(&next, false).await;
    assert_eq!(t.claim_one(t.session().await, &flow).await.lost_deadline_at, None);
}

pub async fn a_session_that_is_closed_hands_back_what_it_holds(t: Fixture) {
    let flow = t.flow("checkout", [timed("charge", 5_000)]).await;
    let session = t.session().await;
    let runs = t.start_many(&flow, "order", 3).await;
    let held = t.claim(session, &flow, 2).await;
    t.store.close_session(session).await.expect("the store answers");
    assert_eq!(t.try_succeed(&flow, &held[0]).await, Err(Refused::StaleFence));
    let again = t.claim(t.session().await, &flow, 10).await;
    assert_eq!(again.len(), 3);
    for claimed in &again {
        assert_eq!((claimed.attempt, claimed.crashes, claimed.lost_deadline_at), (1, 0, None), "{claimed:?}");
    }
    assert_eq!(t.told(runs[0]).await, ["#0"]);
    t.store.close_session(session).await.expect("closing twice is nothing");
}

pub async fn only_a_started_claim_counts_when_it_is_handed_back(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let mut attempts = Vec::new();
    for started in [false, true, false, true] {
        let claimed = t.claim_one(session, &flow).await;
        attempts.push(claimed.attempt);
        t.hand_back(&claimed, started).await;
        assert_eq!(t.try_succeed(&flow, &claimed).await, Err(Refused::StaleFence));
    }
    assert_eq!(attempts, [1, 1, 2, 2]);
    let last = t.claim_one(session, &flow).await;
    assert_eq!((last.attempt, last.crashes, last.state.failures), (3, 0, 0));
}

pub async fn a_back_off_that_is_handed_back_is_due_as_before(t: Fixture) {
    let flow = t.flow("checkout", [delay("nap", 100), step("ship")]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.clock.advance(100);
    let nap = t.claim_one(session, &flow).await;
    t.hand_back(&nap, false).await;
    assert!(t.work(&flow, &t.claim_one(session, &flow).await).await.expect("the claim is good").let_go);
}

pub async fn a_claim_that_is_not_held_any_more_is_not_handed_back(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start_many(&flow, "order", 2).await;
    let old = t.claim(session, &flow, 2).await;
    t.hand_back(&old[0], true).await;
    let new = t.claim_one(session, &flow).await;
    let before = t.trace("order-0").await;
    t.hand_back(&old[0], false).await;
    assert_eq!(t.trace("order-0").await, before);
    t.succeed(&flow, &new).await;
    t.cancel("order-1").await;
    t.hand_back(&old[1], true).await;
    t.expect_nothing_due(&flow).await;
}

pub async fn a_session_is_told_what_became_of_its_claims(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    t.start_many(&flow, "order", 5).await;
    let mut claimed = t.claim(session, &flow, 5).await;
    t.hand_back(&claimed[4], false).await;
    let older = std::mem::replace(&mut claimed[4], t.claim_one(session, &flow).await);
    t.pause("order-1").await;
    t.cancel("order-2").await;
    t.hand_back(&claimed[3], true).await;
    let other = t.claim_one(t.session().await, &flow).await;
    assert_eq!(other.run_id.as_str(), "order-3");
    let nobody = ClaimCheck { run: RunNo(i64::MAX), ..check_of(&claimed[4]) };
    let mut asked: Vec<ClaimCheck> = claimed.iter().map(check_of).collect();
    asked.extend([nobody.clone(), check_of(&older)]);

    let fates = t.store.check_claims(session, asked).await.expect("the store answers");
    let expected = vec![
        (check_of(&claimed[1]), ClaimFate::Held),
        (check_of(&claimed[2]), ClaimFate::Lost { run: Some(t.record("order-2").await.state) }),
        (check_of(&claimed[3]), ClaimFate::Lost { run: Some(RunState::Running) }),
        (nobody, ClaimFate::Lost { run: None }),
        // The same branch in the same hands: only the fence tells the two claims apart.
        (check_of(&older), ClaimFate::Lost { run: Some(RunState::Running) }),
    ];
    assert_eq!(fates, expected);
}

pub async fn a_session_can_ask_what_it_holds(t: Fixture) {
    let flow = t.flow("checkout", [timed("charge", 900), step("ship")]).await;
    let (session, other) = (t.session().await, t.session().await);
    t.start_many(&flow, "order", 4).await;
    let mut claimed = t.claim(session, &flow, 3).await;
    t.claim_one(other, &flow).await;
    let kept = t.succeed_keeping(&flow, &claimed[0], session, 1).await.kept.remove(0);
    t.succeed(&flow, &claimed[1]).await;
    let mut held = t.store.held(session).await.expect("the store answers");
    held.sort_by_key(|claimed| claimed.run);
    let expected = vec![Claimed { input: Some(output_of(&claimed[0])), ..kept }, claimed.remove(2)];
    assert_eq!(held, expected);
    assert_eq!(t.store.held(pawl_core::SessionNo(i64::MAX)).await, Ok(vec![]));
}

pub async fn the_next_expiry_is_told(t: Fixture) {
    assert_eq!(reap(&t).await, Reaped { freed: 0, next_expiry_at: None::<Millis> });
    t.session().await;
    t.clock.advance(1_000);
    t.session().await;
    assert_eq!(reap(&t).await.next_expiry_at, Some(t.now().plus(TTL_MS - 1_000)));
    t.clock.advance(TTL_MS - 1_000);
    assert_eq!(reap(&t).await.next_expiry_at, Some(t.now().plus(1_000)));
}

pub async fn a_reader_sees_who_holds_a_branch(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start(&flow, "order-1").await;
    let claimed = t.claim_one(t.session_of("host-7").await, &flow).await;
    let open = t.record("order-1").await.open.remove(0);
    assert_eq!((open.claimed, open.worker.as_deref(), open.attempt), (true, Some("host-7"), 1));
    t.hand_back(&claimed, true).await;
    let open = t.record("order-1").await.open.remove(0);
    assert_eq!((open.claimed, open.worker, open.attempt), (false, None, 1));
}
