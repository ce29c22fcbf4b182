//! What a turn writes: one value, applied by a store in one transaction or not at all.

use crate::branch::{BranchState, NewBranch};
use crate::ids::{Fence, RunNo, SessionNo};
use crate::path::{Path, Scope};
use crate::payload::Payload;
use crate::run::{Failure, RunState};
use std::sync::Arc;

/// One change of one run. The only way a run changes after its start.
#[derive(Clone, Debug, PartialEq)]
pub enum Commit {
    /// The holder of a claim moves its branch. Refused when the fence has moved.
    Branch(BranchCommit),
    /// Somebody outside changes the run as a whole. Refused when the run's version has moved.
    Run(RunCommit),
}

/// A turn of one branch, guarded by the fence of the claim.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchCommit {
    /// The run.
    pub run: RunNo,
    /// The branch.
    pub scope: Scope,
    /// The fence the claim was given. The stored one must be equal; it grows by one with this commit.
    pub fence: Fence,
    /// What changes.
    pub decision: Decision,
    /// Which session keeps what became due by this commit, and how many branches of it at most; `None` lets it go.
    pub keep: Option<(SessionNo, usize)>,
}

/// A change of a whole run, guarded by the version of its row.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCommit {
    /// The run.
    pub run: RunNo,
    /// The version the decision was made on. The stored one must be equal; it grows by one with this commit.
    pub expected_version: i64,
    /// The state the run takes.
    pub state: RunState,
    /// What happens to its open branches.
    pub open: OpenBranches,
    /// For the run's history.
    pub events: Vec<HistoryEvent>,
}

/// What a run-wide change does to the open branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenBranches {
    /// They are removed; what is in flight will be refused.
    Remove,
    /// None of them is handed out any more. What is in flight may still deliver its result.
    Hold,
    /// They are handed out again; what fell due meanwhile is due now.
    Release,
}

/// What `core` decided for one branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Results to record, each once for ever.
    pub results: Vec<ResultWrite>,
    /// What becomes of the branch.
    pub change: Change,
    /// For the run's history.
    pub events: Vec<HistoryEvent>,
}

/// A result row.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultWrite {
    /// The node it belongs to.
    pub path: Path,
    /// Where the value comes from.
    pub value: Value,
}

/// Where a recorded value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// From here.
    New(Payload),
    /// A copy of another result of this run: what a delay passes through.
    CopyOf(Path),
    /// The oldest unread message of this name, which is thereby read. Refused when there is none.
    Signal(Arc<str>),
}

/// What becomes of the branch a decision is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It moves in place.
    Move(BranchState),
    /// It waits on a fork while new branches walk.
    Fork {
        /// The waiting branch itself, in phase [`crate::Phase::Joining`].
        joining: BranchState,
        /// What begins. Branches of nested forks are included, each parent in phase `Joining`.
        branches: Vec<NewBranch>,
    },
    /// It has reached its end: its row goes, and the fork it belongs to misses one branch less.
    Arrive {
        /// The branch that waits on the fork.
        at: Scope,
        /// What that branch becomes if this was the last one missing.
        last: BranchState,
    },
    /// The run is over: its state is set and every open branch is removed.
    End(RunState),
}

/// A line of a run's history that is not a result.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEvent {
    /// What happened.
    pub kind: HistoryKind,
    /// At which node; `None` for the run as a whole.
    pub path: Option<Path>,
    /// What went wrong, if something did.
    pub failure: Option<Failure>,
    /// Anything else worth telling: a reason, who did it, when the next attempt is due. JSON text.
    pub detail: Option<String>,
}

/// Kinds of history events. The numbers are stored: append only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum HistoryKind {
    /// An attempt failed and another will follow.
    AttemptFailed = 1,
    /// An attempt was too late and another will follow.
    AttemptTimedOut = 2,
    /// An attempt was lost together with its worker.
    AttemptLost = 3,
    /// The run was paused.
    Paused = 4,
    /// The run was resumed.
    Resumed = 5,
    /// The run was cancelled.
    Cancelled = 6,
    /// The run failed.
    Failed = 7,
    /// The run completed.
    Completed = 8,
    /// A signal node stopped waiting.
    SignalTimedOut = 9,
}

impl HistoryKind {
    /// The kind with this stored number.
    pub fn from_number(number: u8) -> Option<HistoryKind> {
        use HistoryKind::*;
        [AttemptFailed, AttemptTimedOut, AttemptLost, Paused, Resumed, Cancelled, Failed, Completed, SignalTimedOut]
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }

    /// The name users see.
    pub fn as_str(self) -> &'static str {
        match self {
            HistoryKind::AttemptFailed => "attemptFailed",
            HistoryKind::AttemptTimedOut => "attemptTimedOut",
            HistoryKind::AttemptLost => "attemptLost",
            HistoryKind::Paused => "paused",
            HistoryKind::Resumed => "resumed",
            HistoryKind::Cancelled => "cancelled",
            HistoryKind::Failed => "failed",
            HistoryKind::Completed => "completed",
            HistoryKind::SignalTimedOut => "signalTimedOut",
        }
    }
}
