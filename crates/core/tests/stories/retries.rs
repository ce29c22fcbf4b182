use crate::run::{Run, step, thrown};
use pawl_core::turn::ThrownError;
use pawl_core::{ErrorCode, HistoryKind, Payload, Phase, RetryPolicy, RunState};

#[test]
fn a_failed_attempt_is_repeated_after_growing_waits_until_none_is_left() {
    let mut run = Run::of([step("charge").retry(3, 100)]);
    run.fail("charge", thrown("one"));
    run.expect(["retry charge#2 at 100"]);
    run.advance(100);
    run.expect(["run charge#2"]);
    run.fail("charge", thrown("two"));
    run.expect(["retry charge#3 at 300"]);
    run.advance(200);
    run.fail("charge", thrown("three"));
    run.expect_end("failed PAWL_STEP_FAILED at charge#3: three");
}

#[test]
fn without_a_policy_the_first_failure_is_final() {
    let mut run = Run::of([step("charge")]);
    run.fail("charge", thrown("no"));
    run.expect_end("failed PAWL_STEP_FAILED at charge#1: no");
}

#[test]
fn a_retry_that_succeeds_goes_on_with_a_clean_count() {
    let mut run = Run::of([step("a").retry(2, 100), step("b").retry(2, 100)]);
    run.fail("a", thrown("no"));
    run.advance(100);
    run.succeed("a");
    run.expect(["run b#1"]);
    run.fail("b", thrown("no"));
    run.expect(["retry b#2 at 200"]);
}

#[test]
fn an_error_that_no_attempt_can_mend_ends_the_run_at_once() {
    let mut run = Run::of([step("charge").retry(5, 100)]);
    run.fail("charge", ThrownError { retryable: false, ..thrown("card is stolen") });
    run.expect_end("failed PAWL_STEP_FAILED at charge#1: card is stolen");
}

#[test]
fn the_thrower_may_say_when_to_come_back() {
    let mut run = Run::of([step("charge").retry(3, 100)]);
    run.fail("charge", ThrownError { retry_after_ms: Some(7_000), ..thrown("429") });
    run.expect(["retry charge#2 at 7000"]);
    run.advance(7_000);
    run.fail("charge", ThrownError { retry_after_ms: Some(-1), ..thrown("429") });
    run.expect(["run charge#3"]);
    let told = run.table.history.last().unwrap().detail.as_deref();
    assert_eq!(told, Some(r#"{"retryAt":7000}"#), "a wait below nothing is none");
    run.fail("charge", ThrownError { retry_after_ms: Some(1), ..thrown("429") });
    run.expect_end("failed PAWL_STEP_FAILED at charge#3: 429");
}

#[test]
fn a_wait_beyond_the_end_of_time_stays_at_the_end_of_time() {
    let mut run = Run::of([step("charge").retry(3, 100)]);
    run.advance(1);
    run.fail("charge", ThrownError { retry_after_ms: Some(i64::MAX), ..thrown("429") });
    run.expect([&format!("retry charge#2 at {}", i64::MAX)]);
}

#[test]
fn waits_are_shortened_at_random_but_the_same_for_the_same_failure() {
    let policy = RetryPolicy { max_attempts: 9, backoff_ms: 1_000, factor: 1.0, ..RetryPolicy::default() };
    let retry_at = |name: &str| {
        let mut run = Run::of([step(name).retry_policy(policy.clone())]);
        run.fail(name, thrown("no"));
        match run.table.open[&"".into()].state.phase {
            Phase::Backoff { retry_at } => retry_at.0,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(retry_at("a"), retry_at("a"));
    let waits: Vec<i64> = (0..20).map(|at| retry_at(&format!("step-{at}"))).collect();
    assert!(waits.iter().all(|wait| (500..=1_000).contains(wait)), "{waits:?}");
    assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
}

#[test]
fn history_tells_each_failure_and_the_cause_of_the_last_is_kept() {
    let cause = Payload::json(r#"{"code":"E_CARD"}"#);
    let mut run = Run::of([step("charge").retry(2, 100)]);
    run.fail("charge", thrown("one"));
    run.advance(100);
    run.fail("charge", ThrownError { cause: Some(cause.clone()), ..thrown("two") });
    let told: Vec<_> = run.table.history.iter().map(|e| (e.kind, e.failure.as_ref().unwrap().attempt)).collect();
    assert_eq!(told, [(HistoryKind::AttemptFailed, 1), (HistoryKind::Failed, 2)]);
    assert_eq!(run.table.history[0].detail.as_deref(), Some(r#"{"retryAt":100}"#));
    match &run.table.state {
        RunState::Failed(failure) => assert_eq!(failure.cause, Some(cause)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn pawls_own_refusals_keep_their_code() {
    let mut run = Run::of([step("big")]);
    let refusal = ThrownError { code: ErrorCode::ValueTooLarge, retryable: false, ..thrown("9 MB") };
    run.fail("big", refusal);
    run.expect_end("failed PAWL_VALUE_TOO_LARGE at big#1: 9 MB");
}
