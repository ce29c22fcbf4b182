//! What an outcome changes.

use super::CRASH_COUNT_MAX;
use super::advance::advance;
use super::work::Claimed;
use crate::branch::{BranchState, Phase};
use crate::commit::{Change, Decision, HistoryEvent, HistoryKind, ResultWrite, Value};
use crate::error_code::ErrorCode;
use crate::flow::{Flow, Node, NodeKind, OnTimeout, Signal};
use crate::ids::Millis;
use crate::path::Path;
use crate::payload::Payload;
use crate::retry;
use crate::run::{Failure, RunState};

/// The output of a signal node that goes on without a message.
const TIMED_OUT_OUTPUT: &str = r#"{"timedOut":true}"#;

/// What happened to a claimed branch.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The function returned.
    Succeeded(Payload),
    /// The function threw, or its result cannot be stored.
    Failed(ThrownError),
    /// The attempt's deadline passed.
    TimedOut,
    /// The delay is over.
    SleepEnded,
    /// A message lies ready.
    SignalArrived,
    /// No message came in time.
    SignalTimedOut,
    /// The run's deadline passed.
    RunDeadlinePassed,
    /// Too many workers died over this node.
    CrashedTooOften,
    /// The flow has no such node.
    NodeUnknown,
}

/// What a function threw.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrownError {
    /// [`ErrorCode::StepFailed`] for the user's errors; pawl's own refusals have their own codes.
    pub code: ErrorCode,
    /// In words.
    pub message: String,
    /// The thrown value, as JavaScript wrote it.
    pub cause: Option<Payload>,
    /// Whether another attempt may help.
    pub retryable: bool,
    /// How long the thrower wants to be left alone, in milliseconds; replaces the policy's wait.
    pub retry_after_ms: Option<i64>,
}

/// What does this outcome change? Pure: the same claim, outcome and moment give the same decision.
///
/// An outcome that this kind of node cannot have (a sleep that ended on a step: a damaged row) ends the run as failed,
/// because going on would record something that never happened.
pub fn apply(flow: &Flow, claimed: &Claimed, outcome: Outcome, now: Millis) -> Decision {
    if outcome == Outcome::RunDeadlinePassed {
        return run_deadline_passed();
    }
    let Some(node) = flow.find(&claimed.state.node) else {
        return node_unknown(flow, claimed);
    };
    match (outcome, &node.kind) {
        (Outcome::Succeeded(payload), NodeKind::Step(_) | NodeKind::Fork(_)) => {
            record(flow, node, Value::New(payload), now)
        }
        (Outcome::SleepEnded, NodeKind::Delay(_)) => {
            let input = claimed.state.input.clone().unwrap_or_else(Path::run_input);
            record(flow, node, Value::CopyOf(input), now)
        }
        (Outcome::SignalArrived, NodeKind::Signal(signal)) => {
            record(flow, node, Value::Signal(signal.signal.clone()), now)
        }
        (Outcome::SignalTimedOut, NodeKind::Signal(signal)) => signal_timed_out(flow, node, signal, now),
        (Outcome::Failed(thrown), NodeKind::Step(_) | NodeKind::Fork(_)) => {
            failed(node, claimed, thrown, HistoryKind::AttemptFailed, now)
        }
        (Outcome::TimedOut, NodeKind::Step(_) | NodeKind::Fork(_)) => {
            failed(node, claimed, timed_out(node), HistoryKind::AttemptTimedOut, now)
        }
        (Outcome::CrashedTooOften, _) => end_failed(failure(
            ErrorCode::StepCrashed,
            node.path.clone(),
            claimed.attempts_before(),
            format!("The process died {CRASH_COUNT_MAX} times while it ran \"{}\"", node.path),
        )),
        _ => node_unknown(flow, claimed),
    }
}

fn record(flow: &Flow, node: &Node, value: Value, now: Millis) -> Decision {
    Decision {
        results: vec![ResultWrite { path: node.path.clone(), value }],
        change: advance(flow, node, now),
        events: Vec::new(),
    }
}

fn signal_timed_out(flow: &Flow, node: &Node, signal: &Signal, now: Millis) -> Decision {
    match signal.on_timeout {
        OnTimeout::Continue => {
            let mut decision = record(flow, node, Value::New(Payload::json(TIMED_OUT_OUTPUT)), now);
            decision.events.push(HistoryEvent {
                kind: HistoryKind::SignalTimedOut,
                path: Some(node.path.clone()),
                failure: None,
                detail: None,
            });
            decision
        }
        OnTimeout::Fail => end_failed(failure(
            ErrorCode::SignalTimeout,
            node.path.clone(),
            0,
            format!("The signal \"{}\" did not arrive at \"{}\" in time", signal.signal, node.path),
        )),
    }
}

/// One failed attempt: another one later, or the end of the run.
fn failed(node: &Node, claimed: &Claimed, thrown: ThrownError, kind: HistoryKind, now: Millis) -> Decision {
    let failures = claimed.state.failures.saturating_add(1);
    let failure = Failure {
        code: thrown.code,
        path: Some(node.path.clone()),
        attempt: claimed.attempt,
        message: thrown.message,
        cause: thrown.cause,
    };
    let policy = node.step().map(|step| step.retry.clone()).unwrap_or_default();
    if !thrown.retryable || !policy.has_attempts_left(failures) {
        return end_failed(failure);
    }
    let seed = retry::seed(claimed.run_id.as_str(), node.path.as_str(), failures);
    let wait_ms = thrown.retry_after_ms.unwrap_or_else(|| policy.backoff_after(failures, seed));
    let retry_at = now.plus(wait_ms.max(0));
    let state = BranchState { phase: Phase::Backoff { retry_at }, failures, ..claimed.state.clone() };
    let detail = serde_json::json!({ "retryAt": retry_at }).to_string();
    Decision {
        results: Vec::new(),
        change: Change::Move(state),
        events: vec![HistoryEvent {
            kind,
            path: Some(node.path.clone()),
            failure: Some(failure),
            detail: Some(detail),
        }],
    }
}

fn timed_out(node: &Node) -> ThrownError {
    let timeout_ms = node.step().and_then(|step| step.timeout_ms).unwrap_or_default();
    ThrownError {
        code: ErrorCode::StepTimeout,
        message: format!("\"{}\" timed out after {timeout_ms} ms", node.path),
        cause: None,
        retryable: true,
        retry_after_ms: None,
    }
}

fn run_deadline_passed() -> Decision {
    end_failed(Failure {
        code: ErrorCode::RunDeadline,
        path: None,
        attempt: 0,
        message: "The run did not end before its deadline".into(),
        cause: None,
    })
}

fn node_unknown(flow: &Flow, claimed: &Claimed) -> Decision {
    end_failed(failure(
        ErrorCode::TaskNotFound,
        claimed.state.node.clone(),
        0,
        format!("The flow \"{}\" has no node \"{}\" that could be in this position", flow.name, claimed.state.node),
    ))
}

fn failure(code: ErrorCode, path: Path, attempt: u32, message: String) -> Failure {
    Failure { code, path: Some(path), attempt, message, cause: None }
}

fn end_failed(failure: Failure) -> Decision {
    let event = HistoryEvent {
        kind: HistoryKind::Failed,
        path: failure.path.clone(),
        failure: Some(failure.clone()),
        detail: None,
    };
    Decision { results: Vec::new(), change: Change::End(RunState::Failed(failure)), events: vec![event] }
}
