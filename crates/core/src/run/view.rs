//! What a reader is told about a run: the stored state, refined by what its open branches are doing.

use super::{Failure, RunState};
use crate::branch::Phase;
use crate::ids::Millis;
use crate::path::{Path, Scope};
use crate::{BranchState, Payload};
use std::sync::Arc;

/// An open branch as stored, with what the store knows about its claim.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenView {
    /// Its chain.
    pub scope: Scope,
    /// Where it stands.
    pub state: BranchState,
    /// Whether a living worker holds it.
    pub claimed: bool,
    /// Which worker holds it, by the name it gave itself.
    pub worker: Option<String>,
    /// How often its node's function was started.
    pub attempt: u32,
    /// When it becomes due, as stored; a message that arrived makes an awaiting branch due.
    pub due_at: Option<Millis>,
}

impl OpenView {
    /// The attempt that is under way, or else the next one. From 1.
    pub fn attempt_number(&self) -> u32 {
        if self.claimed { self.attempt } else { self.attempt.saturating_add(1) }
    }
}

/// The status of a run in the words users see.
#[derive(Clone, Debug, PartialEq)]
pub enum RunView {
    /// Some branch is being worked on, is due, or is between two attempts.
    Running,
    /// Every open branch is parked, and the first thing to happen is the end of a delay.
    Waiting {
        /// The delay.
        node: Path,
        /// When it is over.
        wake_at: Millis,
    },
    /// Every open branch is parked, and a signal node is the one to move first or has no end of its own.
    AwaitingSignal {
        /// The signal node.
        node: Path,
        /// The name of the message.
        signal: Arc<str>,
        /// When it stops waiting.
        timeout_at: Option<Millis>,
    },
    /// Paused.
    Paused {
        /// Why.
        reason: Option<String>,
        /// Who did it.
        by: Option<String>,
    },
    /// Ended well.
    Completed {
        /// The output, where the reader asked for it.
        output: Option<Payload>,
    },
    /// Ended badly.
    Failed(Failure),
    /// Ended by somebody.
    Cancelled {
        /// Why.
        reason: Option<String>,
        /// Who did it.
        by: Option<String>,
    },
}

/// The status of a run whose stored state and open branches these are.
///
/// A run is parked only when all its branches are. Of several parked branches, the one that moves first is named.
pub fn view(state: &RunState, open: &[OpenView], output: Option<Payload>, now: Millis) -> RunView {
    match state {
        RunState::Running => view_running(open, now),
        RunState::Paused { reason, by } => RunView::Paused { reason: reason.clone(), by: by.clone() },
        RunState::Completed { .. } => RunView::Completed { output },
        RunState::Failed(failure) => RunView::Failed(failure.clone()),
        RunState::Cancelled { reason, by } => RunView::Cancelled { reason: reason.clone(), by: by.clone() },
    }
}

fn view_running(open: &[OpenView], now: Millis) -> RunView {
    let mut parked: Vec<&OpenView> = Vec::new();
    for branch in open {
        match branch.state.phase {
            Phase::Joining { .. } | Phase::Deadline { .. } => {}
            Phase::Ready | Phase::Backoff { .. } => return RunView::Running,
            Phase::Sleeping { .. } | Phase::Awaiting { .. } => {
                if branch.claimed || branch.due_at.is_some_and(|due| due <= now) {
                    return RunView::Running;
                }
                parked.push(branch);
            }
        }
    }
    let first = parked.into_iter().min_by_key(|branch| branch.due_at.unwrap_or(Millis(i64::MAX)));
    match first.map(|branch| (&branch.state.node, &branch.state.phase)) {
        Some((node, Phase::Sleeping { wake_at })) => RunView::Waiting { node: node.clone(), wake_at: *wake_at },
        Some((node, Phase::Awaiting { signal, timeout_at })) => {
            RunView::AwaitingSignal { node: node.clone(), signal: signal.clone(), timeout_at: *timeout_at }
        }
        _ => RunView::Running,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000);

    fn open(node: &str, phase: Phase) -> OpenView {
        let due_at = phase.due_at(NOW);
        let state = BranchState { node: node.into(), phase, input: None, failures: 0, timeout_ms: None };
        OpenView { scope: Scope::root(), state, claimed: false, worker: None, attempt: 0, due_at }
    }

    fn sleeping(node: &str, wake_at: i64) -> OpenView {
        open(node, Phase::Sleeping { wake_at: Millis(wake_at) })
    }

    fn awaiting(node: &str, timeout_at: Option<i64>) -> OpenView {
        open(node, Phase::Awaiting { signal: "ok".into(), timeout_at: timeout_at.map(Millis) })
    }

    fn seen(open: &[OpenView]) -> RunView {
        view(&RunState::Running, open, None, NOW)
    }

    #[test]
    fn a_run_is_parked_only_when_all_its_branches_are() {
        assert_eq!(seen(&[sleeping("a/nap", 5_000), open("b/work", Phase::Ready)]), RunView::Running);
        assert_eq!(
            seen(&[open("combine", Phase::Joining { missing: 1 }), sleeping("a/nap", 5_000)]),
            RunView::Waiting { node: "a/nap".into(), wake_at: Millis(5_000) }
        );
    }

    #[test]
    fn the_branch_that_moves_first_is_named() {
        let both = [sleeping("a/nap", 9_000), sleeping("b/nap", 4_000), awaiting("c/ok", None)];
        assert_eq!(seen(&both), RunView::Waiting { node: "b/nap".into(), wake_at: Millis(4_000) });
    }

    #[test]
    fn a_wait_with_an_earlier_timeout_is_named_before_a_sleep() {
        let both = [sleeping("a/nap", 9_000), awaiting("c/ok", Some(4_000))];
        let expected =
            RunView::AwaitingSignal { node: "c/ok".into(), signal: "ok".into(), timeout_at: Some(Millis(4_000)) };
        assert_eq!(seen(&both), expected);
    }

    #[test]
    fn a_branch_whose_time_has_come_is_running() {
        assert_eq!(seen(&[sleeping("nap", 1_000)]), RunView::Running);
    }

    #[test]
    fn a_branch_that_a_worker_holds_is_running() {
        assert_eq!(seen(&[OpenView { claimed: true, ..awaiting("ok", None) }]), RunView::Running);
    }

    #[test]
    fn the_attempt_under_way_is_told_or_else_the_next_one() {
        let fresh = open("charge", Phase::Ready);
        assert_eq!(fresh.attempt_number(), 1);
        let running = OpenView { claimed: true, attempt: 1, ..fresh };
        assert_eq!(running.attempt_number(), 1);
        let failed = OpenView { attempt: 1, ..open("charge", Phase::Backoff { retry_at: Millis(5_000) }) };
        assert_eq!(failed.attempt_number(), 2);
    }

    #[test]
    fn the_deadline_of_a_run_does_not_make_it_wait() {
        let deadline = open("", Phase::Deadline { at: Millis(2_000) });
        assert_eq!(
            seen(&[deadline, sleeping("nap", 9_000)]),
            RunView::Waiting { node: "nap".into(), wake_at: Millis(9_000) }
        );
    }
}
