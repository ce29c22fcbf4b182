//! Attempts that fail.

use super::fixture::*;
use super::pieces::*;
use crate::{Committed, ResultRecord};
use pawl_core::turn::Outcome;
use pawl_core::{ErrorCode, Failure, HistoryKind, RunState};

pub async fn a_failed_attempt_is_due_again_after_its_back_off(t: Fixture) {
    let flow = t.flow("checkout", [retried("charge", 3, 700)]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let first = t.claim_one(session, &flow).await;
    let committed = t.fail(&flow, &first).await;
    assert_eq!(committed, Committed { next_due_at: Some(t.now().plus(700)), ..Committed::default() });
    t.clock.advance(699);
    t.expect_nothing_due(&flow).await;
    t.clock.advance(1);
    let second = t.claim_one(session, &flow).await;
    assert_eq!((second.attempt, second.state.failures, second.crashes), (2, 1, 0));
    assert_eq!(second.input, Some(input_of("order-1")));
    assert!(second.fence > first.fence);
}

pub async fn a_retry_without_back_off_can_be_kept(t: Fixture) {
    let flow = t.flow("checkout", [retried("charge", 3, 0)]).await;
    let session = t.session().await;
    t.start(&flow, "order-1").await;
    let first = t.claim_one(session, &flow).await;
    let decision = t.decide(&flow, &first, Outcome::Failed(thrown()));
    let committed = t.commit(turn_of(&first, decision, Some((session, 1)))).await.expect("the claim is good");
    assert_eq!((committed.kept.len(), committed.let_go), (1, false));
    assert_eq!((committed.kept[0].attempt, committed.kept[0].input.clone()), (2, Some(input_of("order-1"))));
}

pub async fn the_next_node_counts_its_attempts_from_one(t: Fixture) {
    let flow = t.flow("checkout", [retried("charge", 3, 0), retried("ship", 3, 0)]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    t.fail(&flow, &t.claim_one(session, &flow).await).await;
    t.succeed(&flow, &t.claim_one(session, &flow).await).await;
    let ship = t.claim_one(session, &flow).await;
    assert_eq!((ship.attempt, ship.state.failures), (1, 0));
    t.succeed(&flow, &ship).await;
    assert_eq!(t.told(run).await, ["#0", "attemptFailed", "charge#2", "ship#1"]);
}

pub async fn the_last_failure_ends_the_run_with_its_cause(t: Fixture) {
    let flow = t.flow("checkout", [retried("charge", 2, 0), step("ship")]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    t.fail(&flow, &t.claim_one(session, &flow).await).await;
    t.clock.advance(30);
    let committed = t.fail(&flow, &t.claim_one(session, &flow).await).await;
    assert_eq!(committed, Committed { ended: true, ..Committed::default() });
    let failure = |attempt| Failure {
        code: ErrorCode::StepFailed,
        path: Some("charge".into()),
        attempt,
        message: thrown().message,
        cause: thrown().cause,
    };
    assert_eq!(t.state(run).await, RunState::Failed(failure(2)));
    assert_eq!(t.record("order-1").await.ended_at, Some(t.now()));

    let events: Vec<_> = t
        .history(run)
        .await
        .into_iter()
        .filter_map(|line| match line.entry {
            ResultRecord::Event(event) => Some((event.kind, event.failure)),
            ResultRecord::Result { .. } => None,
        })
        .collect();
    let expected = [(HistoryKind::AttemptFailed, Some(failure(1))), (HistoryKind::Failed, Some(failure(2)))];
    assert_eq!(events, expected);
    t.expect_nothing_due(&flow).await;
}

pub async fn a_timed_out_attempt_is_told_as_such(t: Fixture) {
    let flow = t.flow("checkout", [timed("charge", 400)]).await;
    let run = t.start(&flow, "order-1").await;
    let claimed = t.claim_one(t.session().await, &flow).await;
    t.clock.advance(400);
    assert!(t.turn(&flow, &claimed, Outcome::TimedOut).await.expect("the claim is good").ended);
    let state = t.state(run).await;
    assert!(matches!(&state, RunState::Failed(Failure { code: ErrorCode::StepTimeout, .. })), "{state:?}");
}
