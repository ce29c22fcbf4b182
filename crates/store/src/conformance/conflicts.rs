//! What happens when the id of a new run is in use.

use super::fixture::*;
use super::pieces::*;
use crate::{NewRun, OnConflict, Refused, SignalReceipt, StartRefusal, Started};
use pawl_core::{Flow, RunNo, RunState};

/// One run in each state a run can be in, by its id.
const IDS: [&str; 5] = ["running", "paused", "completed", "failed", "cancelled"];

async fn one_of_each(t: &Fixture) -> Flow {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    for id in IDS {
        t.start(&flow, id).await;
        match id {
            "paused" => t.pause(id).await,
            "cancelled" => t.cancel(id).await,
            "completed" => assert!(t.succeed(&flow, &t.claim_one(session, &flow).await).await.ended),
            "failed" => assert!(t.fail(&flow, &t.claim_one(session, &flow).await).await.ended),
            // Out of the way of the others.
            _ => drop(t.claim_one(session, &flow).await),
        }
    }
    flow
}

fn again(t: &Fixture, flow: &Flow, id: &str, on_conflict: OnConflict) -> NewRun {
    NewRun { on_conflict, input: json("\"the second input\""), ..t.new_run(flow, id) }
}

async fn new_life(t: &Fixture, flow: &Flow, id: &str) -> RunNo {
    let older = t.record(id).await;
    let ended_now = Some(older.run).filter(|_| !older.state.is_terminal());
    match t.try_start(again(t, flow, id, OnConflict::TerminateExisting)).await {
        Ok(Started::New { run, replaced, .. }) if replaced == ended_now => run,
        other => panic!("a new life of \"{id}\" was expected: {other:?}"),
    }
}

pub async fn an_id_in_use_is_refused_in_every_state(t: Fixture) {
    let flow = one_of_each(&t).await;
    for id in IDS {
        let before = t.trace(id).await;
        let state = t.record(id).await.state;
        let refusal = t.try_start(again(&t, &flow, id, OnConflict::Fail)).await;
        assert_eq!(refusal, Err(StartRefusal::Exists { state }));
        assert_eq!(t.trace(id).await, before);
    }
}

pub async fn use_existing_answers_with_the_run_in_every_state(t: Fixture) {
    let flow = one_of_each(&t).await;
    for id in IDS {
        let before = t.trace(id).await;
        let run = t.record(id).await.run;
        let answer = t.try_start(again(&t, &flow, id, OnConflict::UseExisting)).await;
        assert_eq!(answer, Ok(Started::Existing { run }));
        assert_eq!(t.trace(id).await, before);
    }
    let fresh = t.try_start(again(&t, &flow, "fresh", OnConflict::UseExisting)).await;
    assert!(matches!(fresh, Ok(Started::New { .. })), "{fresh:?}");
}

pub async fn terminate_existing_begins_a_new_life_in_every_state(t: Fixture) {
    let flow = one_of_each(&t).await;
    for id in IDS {
        let old = t.record(id).await;
        let (old_history, old_input) = (t.history(old.run).await, t.result(old.run, "").await);
        let run = new_life(&t, &flow, id).await;
        assert!(run > old.run, "{run} follows {}", old.run);
        let record = t.record(id).await;
        assert_eq!((record.run, record.state, record.open.len()), (run, RunState::Running, 1));
        assert_eq!(t.result(run, "").await, Some(json("\"the second input\"")));

        assert_eq!(t.result(old.run, "").await, old_input);
        let (old_state, told) = (t.state(old.run).await, t.told(old.run).await);
        if old.state.is_terminal() {
            assert_eq!((old_state, t.history(old.run).await), (old.state, old_history));
        } else {
            assert!(matches!(old_state, RunState::Cancelled { .. }), "{id}: {old_state:?}");
            assert_eq!(told.last().map(String::as_str), Some("cancelled"), "{told:?}");
        }
    }
}

pub async fn a_new_life_sees_nothing_of_the_old_one(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), signal("ok"), step("ship")]).await;
    let session = t.session().await;
    let old = t.start(&flow, "order-1").await;
    assert_eq!(t.signal("order-1", "ok", "\"old\"").await, SignalReceipt::Accepted { woke: false });
    t.try_signal(new_signal("order-1", "ok", "\"old\"", Some("key-1"))).await.expect("accepted");
    let charge = t.claim_one(session, &flow).await;
    t.succeed(&flow, &charge).await;
    let old_wait = t.claim_one(session, &flow).await;

    let new = new_life(&t, &flow, "order-1").await;
    assert_eq!(t.work(&flow, &old_wait).await, Err(Refused::StaleFence), "the claim of the old life");
    assert_eq!(t.result(new, "charge").await, None);
    assert_eq!(t.told(new).await, ["#0"]);
    let charge = t.claim_one(session, &flow).await;
    assert_eq!((charge.run, charge.attempt), (new, 1));
    t.succeed(&flow, &charge).await;
    t.expect_nothing_due(&flow).await;
    let sent = t.try_signal(new_signal("order-1", "ok", "\"new\"", Some("key-1"))).await;
    assert_eq!(sent, Ok(SignalReceipt::Accepted { woke: true }), "the key is new to this life");
    t.work_off(&flow).await;
    assert_eq!(t.result(new, "ok").await, Some(json("\"new\"")));
    assert_eq!(t.state(new).await, RunState::Completed { output: "ship".into() });
    assert_eq!(t.told(old).await, ["#0", "charge#1", "cancelled"]);
}

pub async fn an_id_of_another_flow_is_refused_under_every_policy(t: Fixture) {
    one_of_each(&t).await;
    let other = t.flow("refund", [step("charge")]).await;
    for id in IDS {
        let before = t.trace(id).await;
        for on_conflict in [OnConflict::Fail, OnConflict::UseExisting, OnConflict::TerminateExisting] {
            let refusal = t.try_start(again(&t, &other, id, on_conflict)).await;
            assert_eq!(refusal, Err(StartRefusal::OtherFlow { flow: "checkout".into() }), "{id} {on_conflict:?}");
        }
        assert_eq!(t.trace(id).await, before);
    }
}

pub async fn another_shape_of_a_flow_is_the_same_flow(t: Fixture) {
    let first = t.flow("checkout", [step("charge")]).await;
    let second = t.flow("checkout", [step("charge"), step("ship")]).await;
    let run = t.start(&first, "order-1").await;
    let refusal = t.try_start(again(&t, &second, "order-1", OnConflict::Fail)).await;
    assert_eq!(refusal, Err(StartRefusal::Exists { state: RunState::Running }));
    let existing = t.try_start(again(&t, &second, "order-1", OnConflict::UseExisting)).await;
    assert_eq!(existing, Ok(Started::Existing { run }));
    assert_eq!(t.record("order-1").await.flow, first.hash);
    new_life(&t, &second, "order-1").await;
    assert_eq!(t.record("order-1").await.flow, second.hash);
}

pub async fn a_replaced_run_frees_what_was_claimed_of_it(t: Fixture) {
    let flow = t.flow("wide", [joined("all", [("a", vec![step("x")]), ("b", vec![step("x")])])]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let claimed = t.claim(session, &flow, 1).await;
    let new = new_life(&t, &flow, "order-1").await;
    assert_eq!(t.try_succeed(&flow, &claimed[0]).await, Err(Refused::StaleFence));
    assert_eq!(t.store.held(session).await, Ok(vec![]));
    let runs: Vec<RunNo> = t.claim(session, &flow, 10).await.into_iter().map(|claimed| claimed.run).collect();
    assert_eq!(runs, [new, new]);
}
