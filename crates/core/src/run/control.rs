//! Cancel, pause and resume: a change of the whole run, decided on its state alone.

use super::RunState;
use crate::commit::{HistoryEvent, HistoryKind, OpenBranches};
use crate::error_code::ErrorCode;

/// What somebody wants done to a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// End it now.
    Cancel {
        /// Why.
        reason: Option<String>,
        /// Who asks.
        by: Option<String>,
    },
    /// Start nothing new until resumed.
    Pause {
        /// Why.
        reason: Option<String>,
        /// Who asks.
        by: Option<String>,
    },
    /// Go on.
    Resume {
        /// Who asks.
        by: Option<String>,
    },
}

/// Why a wish was not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The documented code.
    pub code: ErrorCode,
    /// In words, without the run's id.
    pub message: String,
}

/// The new state, what becomes of the open branches, and a line for the history.
///
/// # Errors
/// A run that is over cannot be controlled; a paused run cannot be paused and a run that is not paused cannot be resumed.
pub fn decide_control(state: &RunState, control: Control) -> Result<(RunState, OpenBranches, HistoryEvent), Refusal> {
    if state.is_terminal() {
        return Err(refuse(ErrorCode::RunEnded, format!("is {} already", state.as_str())));
    }
    let paused = matches!(state, RunState::Paused { .. });
    match control {
        Control::Cancel { reason, by } => {
            let event = event(HistoryKind::Cancelled, &reason, &by);
            Ok((RunState::Cancelled { reason, by }, OpenBranches::Remove, event))
        }
        Control::Pause { .. } if paused => Err(refuse(ErrorCode::RunPaused, "is paused already".into())),
        Control::Pause { reason, by } => {
            let event = event(HistoryKind::Paused, &reason, &by);
            Ok((RunState::Paused { reason, by }, OpenBranches::Hold, event))
        }
        Control::Resume { .. } if !paused => Err(refuse(ErrorCode::RunNotPaused, "is not paused".into())),
        Control::Resume { by } => {
            Ok((RunState::Running, OpenBranches::Release, event(HistoryKind::Resumed, &None, &by)))
        }
    }
}

fn refuse(code: ErrorCode, message: String) -> Refusal {
    Refusal { code, message }
}

fn event(kind: HistoryKind, reason: &Option<String>, by: &Option<String>) -> HistoryEvent {
    let detail = serde_json::json!({ "reason": reason, "by": by }).to_string();
    HistoryEvent { kind, path: None, failure: None, detail: Some(detail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cancel() -> Control {
        Control::Cancel { reason: Some("no stock".into()), by: Some("ops".into()) }
    }

    fn pause() -> Control {
        Control::Pause { reason: None, by: None }
    }

    fn paused() -> RunState {
        RunState::Paused { reason: None, by: None }
    }

    #[test]
    fn a_cancel_ends_running_and_paused_runs_and_keeps_the_reason() {
        for state in [RunState::Running, paused()] {
            let (state, open, event) = decide_control(&state, cancel()).unwrap();
            assert_eq!(state, RunState::Cancelled { reason: Some("no stock".into()), by: Some("ops".into()) });
            assert_eq!(open, OpenBranches::Remove);
            assert_eq!(event.kind, HistoryKind::Cancelled);
        }
    }

    #[test]
    fn an_ended_run_refuses_every_control() {
        let ended = RunState::Cancelled { reason: None, by: None };
        for control in [cancel(), pause(), Control::Resume { by: None }] {
            assert_eq!(decide_control(&ended, control).unwrap_err().code, ErrorCode::RunEnded);
        }
    }

    #[test]
    fn pause_and_resume_take_turns() {
        let (state, open, _) = decide_control(&RunState::Running, pause()).unwrap();
        assert_eq!((state.clone(), open), (paused(), OpenBranches::Hold));
        assert_eq!(decide_control(&state, pause()).unwrap_err().code, ErrorCode::RunPaused);

        let (state, open, _) = decide_control(&state, Control::Resume { by: None }).unwrap();
        assert_eq!((state.clone(), open), (RunState::Running, OpenBranches::Release));
        assert_eq!(decide_control(&state, Control::Resume { by: None }).unwrap_err().code, ErrorCode::RunNotPaused);
    }
}
