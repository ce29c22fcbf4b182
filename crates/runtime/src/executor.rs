//! The seam to whoever runs the user's functions: attempts go out in batches, outcomes come back in batches.

use crate::event::WorkerEvent;
use crate::worker::Outcomes;
use pawl_core::turn::ThrownError;
use pawl_core::{ErrorCode, FlowHash, Millis, NodeIndex, Path, Payload, RunId, RunNo};

/// The number of one attempt, unique in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptId(pub u64);

/// Runs the user's functions. Calls must not block and must not call back from inside.
pub trait Executor: Send + Sync + 'static {
    /// Begin these attempts. Each is answered once by [`Outcomes::deliver`], whenever it is done, or never.
    fn run(&self, attempts: Vec<Attempt>);

    /// Tell these attempts to stop. Their outcomes are not waited for any more, except after [`AbortReason::Paused`]: a
    /// success is still recorded, a failure gives the claim back and is not counted.
    fn abort(&self, attempts: Vec<(AttemptId, AbortReason)>);

    /// For how long the executor has not reacted to a call, in milliseconds: 0 while it is responsive.
    fn unresponsive_ms(&self) -> i64;

    /// Where to deliver the outcomes. Called once, before the first [`Executor::run`].
    fn attached(&self, outcomes: Outcomes) {
        drop(outcomes);
    }

    /// Something happened that an operator may want to know.
    fn event(&self, event: WorkerEvent) {
        drop(event);
    }
}

/// One attempt at a node's function.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Under which its outcome comes back.
    pub id: AttemptId,
    /// The run's number in its store.
    pub run: RunNo,
    /// The run's id.
    pub run_id: RunId,
    /// The definition it runs under.
    pub flow: FlowHash,
    /// Which function.
    pub node: NodeIndex,
    /// The node's path.
    pub path: Path,
    /// Which start of this function this is for the node, from 1.
    pub attempt: u32,
    /// When it will be too late: the earlier of the attempt's and the run's deadline.
    pub deadline_at: Option<Millis>,
    /// What the function gets. For a join, the object of its branches' outputs.
    pub input: Payload,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum AttemptOutcome {
    /// The function returned this.
    Succeeded(Payload),
    /// The function threw this, or its result cannot be stored.
    Failed(ThrownError),
    /// The function was never called, because [`crate::Outcomes::may_begin`] said no. The claim is given back as it was.
    NotBegun,
}

/// Why an attempt should stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbortReason {
    /// Its own deadline passed.
    TimedOut,
    /// The run was cancelled.
    Cancelled {
        /// Why.
        reason: Option<String>,
    },
    /// The run ended otherwise: a sibling failed, or its deadline passed.
    RunEnded,
    /// The run was paused.
    Paused,
    /// Another worker owns the attempt now, or this one can no longer be sure that it does.
    ClaimLost,
    /// The worker is stopping.
    Drained,
}

impl AbortReason {
    /// The documented code that the `AbortSignal`'s reason carries.
    pub fn code(&self) -> ErrorCode {
        match self {
            AbortReason::TimedOut => ErrorCode::StepTimeout,
            AbortReason::Cancelled { .. } => ErrorCode::RunCancelled,
            AbortReason::RunEnded => ErrorCode::RunEnded,
            AbortReason::Paused => ErrorCode::RunPaused,
            AbortReason::ClaimLost => ErrorCode::ClaimLost,
            AbortReason::Drained => ErrorCode::Drained,
        }
    }
}
