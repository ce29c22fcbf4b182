//! What is asked of a store.

use pawl_core::{Fence, FlowHash, Millis, NewBranch, Payload, RunId, RunNo, Scope, SessionNo};

/// How to find a stored definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowLookup {
    /// This very shape.
    Hash(FlowHash),
    /// The one registered last under this name.
    Name(String),
}

/// A run to start.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// Its id.
    pub id: RunId,
    /// Its flow; registered before.
    pub flow: FlowHash,
    /// Its input.
    pub input: Payload,
    /// Where it begins: [`pawl_core::turn::start`].
    pub branches: Vec<NewBranch>,
    /// When it is too late as a whole.
    pub deadline_at: Option<Millis>,
    /// What to do when the id is in use.
    pub on_conflict: OnConflict,
    /// Which session gets the first branches at once, and how many at most.
    pub keep: Option<(SessionNo, usize)>,
}

/// What to do when the id of a new run is in use. An id that belongs to a run of another flow is always refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Refuse, whatever state the existing run is in.
    #[default]
    Fail,
    /// Answer with the existing run, whatever state it is in.
    UseExisting,
    /// End the existing run as cancelled if it is not over, and begin a new life under the id. The old life keeps its
    /// rows under its own number; nothing of it is visible in the new one.
    TerminateExisting,
}

/// A wish for due work.
#[derive(Clone, Debug)]
pub struct ClaimAsk {
    /// Who will own it.
    pub session: SessionNo,
    /// What this worker can do.
    pub filter: ClaimFilter,
    /// How many branches at most.
    pub limit: usize,
}

/// Which work a worker can do. Work outside the filter is never looked at, so it cannot hide work inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimFilter {
    /// Runs of these definitions.
    Flows(Vec<FlowHash>),
    /// One run.
    Run(RunNo),
}

/// A claim that is given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandBack {
    /// The run.
    pub run: RunNo,
    /// The branch.
    pub scope: Scope,
    /// The fence of the claim.
    pub fence: Fence,
    /// Whether the node's function was started. If not, the attempt is not counted.
    pub started: bool,
}

/// One start of one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSpec {
    /// The worker's name, for people.
    pub worker: String,
    /// How long it lives without a heartbeat.
    pub ttl_ms: i64,
}

/// A message to a run.
#[derive(Clone, Debug)]
pub struct NewSignal {
    /// The run's id.
    pub run_id: RunId,
    /// The name of the message.
    pub name: String,
    /// Its content.
    pub payload: Payload,
    /// Tells repeated deliveries of one message; unique per run and name.
    pub key: Option<String>,
}

/// Which runs to list, newest first.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// Only runs of this flow, by name.
    pub flow: Option<String>,
    /// Only runs with this status.
    pub status: Option<StatusFilter>,
    /// Only runs older than this one: the last of the page before.
    pub before: Option<RunNo>,
    /// How many at most.
    pub limit: usize,
}

/// The statuses a list can be filtered by; they mean what [`pawl_core::run::RunView`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusFilter {
    /// See `RunView::Running`.
    Running,
    /// See `RunView::Waiting`.
    Waiting,
    /// See `RunView::AwaitingSignal`.
    AwaitingSignal,
    /// See `RunView::Paused`.
    Paused,
    /// See `RunView::Completed`.
    Completed,
    /// See `RunView::Failed`.
    Failed,
    /// See `RunView::Cancelled`.
    Cancelled,
}
