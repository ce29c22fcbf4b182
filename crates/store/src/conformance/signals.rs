//! Messages.

use super::fixture::*;
use super::pieces::*;
use crate::{Committed, HandBack, Refused, SignalReceipt, SignalRefusal};
use pawl_core::turn::{Outcome, Work, next_work};
use pawl_core::{Flow, RunState};

async fn two_waits(t: &Fixture) -> Flow {
    t.flow("checkout", [patient("first", "ok", 1_000), patient("second", "ok", 1_000)]).await
}

/// Two branches that wait for one name.
async fn two_waiters(t: &Fixture) -> Flow {
    let branches = [("a", vec![patient("wait", "ok", 1_000)]), ("b", vec![patient("wait", "ok", 1_000)])];
    t.flow("wide", [joined("all", branches)]).await
}

pub async fn a_message_wakes_the_branch_that_awaits_it(t: Fixture) {
    let flow = t.flow("checkout", [signal("ok"), step("ship")]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    t.expect_nothing_due(&flow).await;
    assert_eq!(t.signal("order-1", "ok", r#"{"by":"ops"}"#).await, SignalReceipt::Accepted { woke: true });
    assert_eq!(t.record("order-1").await.open[0].due_at, Some(t.now()));
    let wait = t.claim_one(session, &flow).await;
    assert!(wait.signal_ready);
    assert_eq!(wait.input, None, "a wait runs no function");
    let turn = turn_of(&wait, t.decide(&flow, &wait, Outcome::SignalArrived), Some((session, 1)));
    let committed = t.commit(turn).await.expect("the claim is good");
    assert_eq!(t.result(run, "ok").await, Some(json(r#"{"by":"ops"}"#)));
    assert_eq!(committed.kept.len(), 1);
    assert_eq!(committed.kept[0].input, Some(json(r#"{"by":"ops"}"#)), "the caller has not seen the message");
}

pub async fn a_message_waits_for_the_branch_that_will_await_it(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), signal("ok"), signal("never")]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    assert_eq!(t.signal("order-1", "ok", "1").await, SignalReceipt::Accepted { woke: false });
    let charge = t.claim_one(session, &flow).await;
    let committed = t.succeed_keeping(&flow, &charge, session, 1).await;
    assert_eq!(committed.kept.len(), 1, "the wait is due at once");
    assert!(committed.kept[0].signal_ready);
    assert_eq!(t.work(&flow, &committed.kept[0]).await, Ok(Committed::default()), "the next one waits on");
    assert_eq!(t.result(run, "ok").await, Some(json("1")));
    t.expect_nothing_due(&flow).await;
}

pub async fn messages_of_one_name_are_read_in_the_order_they_came(t: Fixture) {
    let flow =
        t.flow("checkout", [signal("ok"), patient("b", "ok", 9), patient("c", "ok", 9), patient("d", "ok", 9)]).await;
    let run = t.start(&flow, "order-1").await;
    for text in ["1", "2"] {
        t.signal("order-1", "ok", text).await;
    }
    t.store.signal(["3", "4"].map(|text| new_signal("order-1", "ok", text, None)).into()).await.expect("accepted");
    t.work_off(&flow).await;
    for (path, text) in [("ok", "1"), ("b", "2"), ("c", "3"), ("d", "4")] {
        assert_eq!(t.result(run, path).await, Some(json(text)), "{path}");
    }
    assert_eq!(t.state(run).await, RunState::Completed { output: "d".into() });
}

pub async fn a_message_of_another_name_or_run_wakes_nobody(t: Fixture) {
    let flow = t.flow("checkout", [signal("ok"), signal("go")]).await;
    t.start(&flow, "order-1").await;
    t.start(&flow, "order-2").await;
    assert_eq!(t.signal("order-1", "go", "1").await, SignalReceipt::Accepted { woke: false });
    t.expect_nothing_due(&flow).await;
    assert_eq!(t.signal("order-2", "ok", "2").await, SignalReceipt::Accepted { woke: true });
    assert_eq!(t.claim_one(t.session().await, &flow).await.run_id.as_str(), "order-2");
}

pub async fn a_key_is_accepted_once_also_after_its_message_was_read(t: Fixture) {
    let flow = two_waits(&t).await;
    let run = t.start(&flow, "order-1").await;
    let keyed = || new_signal("order-1", "ok", "1", Some("event-7"));
    assert_eq!(t.try_signal(keyed()).await, Ok(SignalReceipt::Accepted { woke: true }));
    assert_eq!(t.try_signal(keyed()).await, Ok(SignalReceipt::Duplicate));
    t.work_off(&flow).await;
    assert_eq!(t.result(run, "first").await, Some(json("1")));
    assert_eq!(t.try_signal(keyed()).await, Ok(SignalReceipt::Duplicate), "the message was read");
    t.expect_nothing_due(&flow).await;
    let elsewhere = t.try_signal(new_signal("order-1", "other", "1", Some("event-7"))).await;
    assert_eq!(elsewhere, Ok(SignalReceipt::Accepted { woke: false }), "a key tells messages of one name apart");
    t.clock.advance(1_000);
    t.work_off(&flow).await;
    assert_eq!(t.result(run, "second").await, Some(json(r#"{"timedOut":true}"#)));
    assert_eq!(t.try_signal(keyed()).await, Ok(SignalReceipt::Duplicate), "the run has ended");
}

pub async fn a_key_counts_for_its_run_and_name_alone(t: Fixture) {
    let flow = t.flow("checkout", [signal("ok")]).await;
    for id in ["order-1", "order-2"] {
        t.start(&flow, id).await;
        let sent = t.try_signal(new_signal(id, "ok", "1", Some("event-7"))).await;
        assert_eq!(sent, Ok(SignalReceipt::Accepted { woke: true }), "{id}");
    }
    let in_one_batch = ["k", "k", "l"].map(|key| new_signal("order-1", "ok", "1", Some(key)));
    let answers = t.store.signal(in_one_batch.into()).await.expect("the store answers");
    assert_eq!(answers[1], Ok(SignalReceipt::Duplicate));
    assert!(matches!(answers[2], Ok(SignalReceipt::Accepted { .. })), "{answers:?}");
}

pub async fn messages_without_a_key_are_never_duplicates(t: Fixture) {
    let flow = two_waits(&t).await;
    let run = t.start(&flow, "order-1").await;
    t.signal("order-1", "ok", "1").await;
    t.signal("order-1", "ok", "1").await;
    t.work_off(&flow).await;
    assert_eq!(t.state(run).await, RunState::Completed { output: "second".into() });
}

pub async fn a_run_that_is_over_or_unknown_takes_no_message(t: Fixture) {
    let flow = t.flow("checkout", [signal("ok")]).await;
    t.start(&flow, "order-1").await;
    t.cancel("order-1").await;
    t.start(&flow, "order-2").await;
    let before = t.trace("order-1").await;
    let batch = ["order-1", "nobody", "order-2"].map(|id| new_signal(id, "ok", "1", None));
    let answers = t.store.signal(batch.into()).await.expect("the store answers");
    let state = t.record("order-1").await.state;
    assert_eq!(answers[0], Err(SignalRefusal::RunEnded { state }));
    assert_eq!(answers[1], Err(SignalRefusal::RunNotFound));
    assert_eq!(answers[2], Ok(SignalReceipt::Accepted { woke: true }));
    assert_eq!(t.trace("order-1").await, before);
}

pub async fn a_wait_ends_when_its_time_is_over(t: Fixture) {
    let flow = two_waits(&t).await;
    let run = t.start(&flow, "order-1").await;
    assert_eq!(t.claims(t.session().await, &[&flow], 1).await.next_due_at, Some(t.now().plus(1_000)));
    t.clock.advance(1_000);
    let wait = t.claim_one(t.session().await, &flow).await;
    assert!(!wait.signal_ready);
    t.work(&flow, &wait).await.expect("the claim is good");
    assert_eq!(t.result(run, "first").await, Some(json(r#"{"timedOut":true}"#)));
}

pub async fn a_message_that_comes_while_its_wait_is_claimed_is_not_overlooked(t: Fixture) {
    let flow = two_waits(&t).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.clock.advance(1_000);
    let claimed = t.claim_one(session, &flow).await;
    assert!(!claimed.signal_ready);
    t.signal("order-1", "ok", "1").await;
    let HandBack { run, scope, fence, .. } =
        HandBack { run: claimed.run, scope: claimed.scope, fence: claimed.fence, started: false };
    t.store.hand_back(vec![HandBack { run, scope, fence, started: false }]).await.expect("the store answers");
    assert!(t.claim_one(session, &flow).await.signal_ready);
}

pub async fn one_message_for_two_waits_goes_to_one_of_them(t: Fixture) {
    let flow = two_waiters(&t).await;
    let run = t.start(&flow, "order-1").await;
    t.signal("order-1", "ok", "1").await;
    t.work_off(&flow).await;
    let got = [t.result(run, "a/wait").await, t.result(run, "b/wait").await];
    assert!(got == [Some(json("1")), None] || got == [None, Some(json("1"))], "{got:?}");
    t.expect_nothing_due(&flow).await;
    assert_eq!(t.signal("order-1", "ok", "2").await, SignalReceipt::Accepted { woke: true });
    t.work_off(&flow).await;
    assert!(t.state(run).await.is_terminal());
}

pub async fn two_messages_for_two_waits_wake_both(t: Fixture) {
    let flow = two_waiters(&t).await;
    t.start(&flow, "order-1").await;
    t.signal("order-1", "ok", "1").await;
    t.signal("order-1", "ok", "2").await;
    let waits = t.claim(t.session().await, &flow, 10).await;
    assert_eq!(waits.len(), 2);
    for wait in &waits {
        t.work(&flow, wait).await.expect("a message for each");
    }
}

pub async fn each_message_wakes_a_wait_of_its_own_however_the_clock_is_set(t: Fixture) {
    let flow = two_waiters(&t).await;
    let run = t.start(&flow, "order-1").await;
    t.clock.advance(500);
    t.signal("order-1", "ok", "1").await;
    t.clock.advance(-100);
    t.signal("order-1", "ok", "2").await;
    t.clock.advance(100);
    t.work_off(&flow).await;
    assert!(t.result(run, "a/wait").await.is_some() && t.result(run, "b/wait").await.is_some());
    assert!(t.state(run).await.is_terminal());
}

pub async fn a_message_that_another_branch_has_read_is_refused_and_leaves_no_trace(t: Fixture) {
    let flow = two_waiters(&t).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    t.signal("order-1", "ok", "1").await;
    // Their time is over, so both are due whoever the message woke.
    t.clock.advance(1_000);
    let waits = t.claim(session, &flow, 10).await;
    assert_eq!(waits.iter().map(|wait| wait.signal_ready).collect::<Vec<_>>(), [true, true]);
    t.work(&flow, &waits[0]).await.expect("the message is there");
    let before = t.trace("order-1").await;
    assert_eq!(t.work(&flow, &waits[1]).await, Err(Refused::SignalTaken));
    assert_eq!(t.trace("order-1").await, before);

    t.hand_back(&waits[1], false).await;
    let again = t.claim_one(session, &flow).await;
    assert!(!again.signal_ready);
    let Work::Settle(decision) = next_work(&flow, &again, t.now()) else { panic!("its time is over") };
    t.commit(turn_of(&again, decision, None)).await.expect("the claim is good");
    assert_eq!(t.result(run, "b/wait").await, Some(json(r#"{"timedOut":true}"#)));
}

pub async fn a_wait_whose_message_was_read_by_another_waits_on(t: Fixture) {
    let flow = two_waiters(&t).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    t.signal("order-1", "ok", "1").await;
    t.clock.advance(999);
    let woken = t.claim(session, &flow, 10).await;
    t.work(&flow, &woken[0]).await.expect("the message is there");
    for late in &woken[1..] {
        t.hand_back(late, false).await;
    }
    t.expect_nothing_due(&flow).await;
    assert_eq!(t.claims(session, &[&flow], 1).await.next_due_at, Some(t.now().plus(1)));
}
