//! Questions about one run.

use super::fixture::*;
use super::pieces::*;
use crate::{HistoryRecord, ResultRecord};
use pawl_core::run::{Control, OpenView};
use pawl_core::turn::start;
use pawl_core::{HistoryEvent, HistoryKind, Millis, NewBranch, RunNo, RunState};

pub async fn nothing_is_known_of_a_run_that_was_never_started(t: Fixture) {
    assert_eq!(t.store.run("nobody".into()).await, Ok(None));
    assert_eq!(t.store.states(vec![RunNo(1), RunNo(0), RunNo(-1)]).await, Ok(vec![None, None, None]));
    assert_eq!(t.store.results(RunNo(7), vec!["".into(), "a".into()]).await, Ok(vec![None, None]));
    assert_eq!(t.store.history(RunNo(7)).await, Ok(vec![]));
}

pub async fn states_are_answered_in_the_order_asked(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let (a, b) = (t.start(&flow, "a").await, t.start(&flow, "b").await);
    t.cancel("a").await;
    let states = t.store.states(vec![b, RunNo(i64::MAX), a, b]).await.expect("the store answers");
    let cancelled = RunState::Cancelled { reason: Some("why".into()), by: None };
    assert_eq!(states, [Some(RunState::Running), None, Some(cancelled), Some(RunState::Running)]);
    assert_eq!(t.store.states(vec![]).await, Ok(vec![]));
}

pub async fn results_are_answered_in_the_order_asked(t: Fixture) {
    let flow = t.flow("checkout", [step("a"), step("b")]).await;
    let run = t.start(&flow, "order-1").await;
    t.start(&flow, "order-2").await;
    t.work_off(&flow).await;
    let paths = ["b", "nowhere", "", "a", "b"].map(Into::into).to_vec();
    let results = t.store.results(run, paths).await.expect("the store answers");
    let (a, b) = (json("\"output of a\""), json("\"output of b\""));
    assert_eq!(results, [Some(b.clone()), None, Some(input_of("order-1")), Some(a), Some(b)]);
}

pub async fn history_is_told_in_the_order_it_happened(t: Fixture) {
    // All but one moment in the same millisecond: the order does not come from the clock.
    let flow =
        t.flow("checkout", [retried("charge", 3, 0), delay("nap", 0), patient("wait", "ok", 5), step("ship")]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    t.fail(&flow, &t.claim_one(session, &flow).await).await;
    t.pause("order-1").await;
    t.resume("order-1").await;
    let charge = t.claim_one(session, &flow).await;
    t.fail(&flow, &charge).await;
    t.succeed(&flow, &t.claim_one(session, &flow).await).await;
    t.pause("order-1").await;
    t.resume("order-1").await;
    t.work_off(&flow).await;
    t.clock.advance(5);
    let wait = t.claim_one(session, &flow).await;
    t.work(&flow, &wait).await.expect("the claim is good");
    t.fail(&flow, &t.claim_one(session, &flow).await).await;

    let mut told = t.told(run).await;
    // One commit has written both, so nothing says which comes first.
    told[9..11].sort();
    let expected = [
        "#0",
        "attemptFailed",
        "paused",
        "resumed",
        "attemptFailed",
        "charge#3",
        "paused",
        "resumed",
        "nap#0",
        "signalTimedOut",
        "wait#0",
        "failed",
    ];
    assert_eq!(told, expected);
}

pub async fn an_event_comes_back_as_it_was_committed(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let run = t.start(&flow, "order-1").await;
    t.clock.advance(12);
    let paused_at = t.now();
    t.control("order-1", Control::Pause { reason: Some("\"why\"".into()), by: None }).await.expect("paused");
    let started = ResultRecord::Result { path: "".into(), attempt: 0 };
    let paused = ResultRecord::Event(HistoryEvent {
        kind: HistoryKind::Paused,
        path: None,
        failure: None,
        detail: Some(r#"{"by":null,"reason":"\"why\""}"#.into()),
    });
    let expected =
        [HistoryRecord { at: paused_at.plus(-12), entry: started }, HistoryRecord { at: paused_at, entry: paused }];
    assert_eq!(t.history(run).await, expected);
}

pub async fn a_reader_sees_where_each_branch_stands(t: Fixture) {
    let branches = [("a", vec![delay("nap", 500)]), ("b", vec![patient("wait", "ok", 900)]), ("c", vec![step("x")])];
    let flow = t.flow("wide", [joined("all", branches)]).await;
    t.start(&flow, "order-1").await;
    let now = t.now();
    t.clock.advance(5);
    let mut expected: Vec<OpenView> = start(&flow, now).into_iter().map(|branch| free(branch, now)).collect();
    expected.sort_by(|a, b| a.scope.cmp(&b.scope));
    assert_eq!(t.record("order-1").await.open, expected);
}

fn free(branch: NewBranch, now: Millis) -> OpenView {
    let due_at = branch.state.phase.due_at(now);
    OpenView { scope: branch.scope, state: branch.state, claimed: false, worker: None, attempt: 0, due_at }
}
