//! The status of a run.

use pawl_core::run::{OpenView, RunView};
use pawl_core::{FlowHash, Millis, Path, Phase, RunId, RunNo};
use pawl_runtime::RunStatus;
use serde::Serialize;

/// A run as a reader sees it. Which members are set follows from `status`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusDto {
    id: Option<RunId>,
    run: Option<RunNo>,
    flow: String,
    hash: Option<FlowHash>,
    status: &'static str,
    node: Option<Path>,
    wake_at: Option<Millis>,
    signal: Option<String>,
    timeout_at: Option<Millis>,
    reason: Option<String>,
    by: Option<String>,
    error: Option<ErrorDto>,
    created_at: Option<Millis>,
    ended_at: Option<Millis>,
    deadline_at: Option<Millis>,
    attempt: Option<AttemptDto>,
}

/// Why a run failed.
#[derive(Debug, Serialize)]
struct ErrorDto {
    code: &'static str,
    path: Option<Path>,
    attempt: u32,
    message: String,
}

/// The attempt a run is busy with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptDto {
    path: Path,
    number: u32,
    failures: u32,
    next_at: Option<Millis>,
}

impl From<RunStatus> for StatusDto {
    fn from(RunStatus { record, view, .. }: RunStatus) -> StatusDto {
        let attempt = matches!(view, RunView::Running).then(|| attempt(&record.open)).flatten();
        let dto = StatusDto {
            id: Some(record.id),
            run: Some(record.run),
            flow: record.flow_name,
            hash: Some(record.flow),
            status: status_word(&view),
            created_at: Some(record.created_at),
            ended_at: record.ended_at,
            deadline_at: record.deadline_at,
            attempt,
            ..StatusDto::default()
        };
        match view {
            RunView::Running | RunView::Completed { .. } => dto,
            RunView::Waiting { node, wake_at } => StatusDto { node: Some(node), wake_at: Some(wake_at), ..dto },
            RunView::AwaitingSignal { node, signal, timeout_at } => {
                StatusDto { node: Some(node), signal: Some(signal.to_string()), timeout_at, ..dto }
            }
            RunView::Paused { reason, by } | RunView::Cancelled { reason, by } => StatusDto { reason, by, ..dto },
            RunView::Failed(failure) => {
                let error = ErrorDto {
                    code: failure.code.as_str(),
                    path: failure.path,
                    attempt: failure.attempt,
                    message: failure.message,
                };
                StatusDto { error: Some(error), ..dto }
            }
        }
    }
}

/// The status in the word users see.
pub fn status_word(view: &RunView) -> &'static str {
    match view {
        RunView::Running => "running",
        RunView::Waiting { .. } => "waiting",
        RunView::AwaitingSignal { .. } => "awaitingSignal",
        RunView::Paused { .. } => "paused",
        RunView::Completed { .. } => "completed",
        RunView::Failed(_) => "failed",
        RunView::Cancelled { .. } => "cancelled",
    }
}

/// Of several branches, the one that is being worked on, or else the one that is due first.
fn attempt(open: &[OpenView]) -> Option<AttemptDto> {
    open.iter()
        .filter(|branch| matches!(branch.state.phase, Phase::Ready | Phase::Backoff { .. }))
        .min_by_key(|branch| (!branch.claimed, branch.due_at.unwrap_or(Millis(i64::MAX))))
        .map(|branch| AttemptDto {
            path: branch.state.node.clone(),
            number: branch.attempt_number(),
            failures: branch.state.failures,
            next_at: if branch.claimed { None } else { branch.due_at },
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::{BranchState, ErrorCode, Failure, RunState, Scope};
    use pawl_store::RunRecord;
    use serde_json::{Value, json};

    fn seen(view: RunView, open: Vec<OpenView>) -> Value {
        let record = RunRecord {
            run: RunNo(4),
            id: "order-1".into(),
            flow: "ab".into(),
            flow_name: "checkout".into(),
            state: RunState::Running,
            version: 1,
            created_at: Millis(10),
            ended_at: None,
            deadline_at: Some(Millis(99)),
            open,
        };
        serde_json::to_value(StatusDto::from(RunStatus { record, view, payload: None })).unwrap()
    }

    fn open(node: &str, phase: Phase, claimed: bool) -> OpenView {
        let due_at = phase.due_at(Millis(0));
        let state = BranchState { node: node.into(), phase, input: None, failures: 2, timeout_ms: None };
        OpenView { scope: Scope::root(), state, claimed, worker: None, attempt: 3, due_at }
    }

    #[test]
    fn every_member_is_there_and_unset_ones_are_null() {
        let waiting = RunView::Waiting { node: "nap".into(), wake_at: Millis(50) };
        let expected = json!({
            "id": "order-1", "run": 4, "flow": "checkout", "hash": "ab", "status": "waiting", "node": "nap",
            "wakeAt": 50, "signal": null, "timeoutAt": null, "reason": null, "by": null, "error": null,
            "createdAt": 10, "endedAt": null, "deadlineAt": 99, "attempt": null,
        });
        assert_eq!(seen(waiting, Vec::new()), expected);
    }

    #[test]
    fn a_failure_names_its_code_and_place() {
        let failure = Failure {
            code: ErrorCode::StepTimeout,
            path: Some("charge".into()),
            attempt: 2,
            message: "late".into(),
            cause: None,
        };
        let error = json!({ "code": "PAWL_STEP_TIMEOUT", "path": "charge", "attempt": 2, "message": "late" });
        assert_eq!(seen(RunView::Failed(failure), Vec::new())["error"], error);
    }

    #[test]
    fn the_attempt_being_worked_on_is_told_before_one_that_is_due_later() {
        let branches = vec![
            open("a", Phase::Backoff { retry_at: Millis(70) }, false),
            open("b", Phase::Ready, true),
            open("c", Phase::Sleeping { wake_at: Millis(1) }, false),
        ];
        let expected = json!({ "path": "b", "number": 3, "failures": 2, "nextAt": null });
        assert_eq!(seen(RunView::Running, branches)["attempt"], expected);
    }
}
