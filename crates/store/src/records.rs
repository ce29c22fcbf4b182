//! What a store answers.

use pawl_core::run::OpenView;
use pawl_core::turn::Claimed;
use pawl_core::{Fence, FlowHash, HistoryEvent, Millis, Path, RunId, RunNo, RunState, Scope};

/// A stored definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRecord {
    /// Its structural hash.
    pub hash: FlowHash,
    /// Its name.
    pub name: String,
    /// The definition as JSON; see [`pawl_core::flow::Definition`].
    pub definition: String,
}

/// A granted start.
#[derive(Clone, Debug, PartialEq)]
pub enum Started {
    /// A new run.
    New {
        /// Its number.
        run: RunNo,
        /// What the asking session got to work on, with its input.
        kept: Vec<Claimed>,
        /// The older life of the id that was ended for it.
        replaced: Option<RunNo>,
    },
    /// The run that has this id already.
    Existing {
        /// Its number.
        run: RunNo,
    },
}

/// A refused start.
#[derive(Clone, Debug, PartialEq)]
pub enum StartRefusal {
    /// The id is in use and the caller wanted a new run.
    Exists {
        /// The state of the run that has the id.
        state: RunState,
    },
    /// The id belongs to a run of another flow.
    OtherFlow {
        /// The name of that flow.
        flow: String,
    },
    /// The flow was never registered in this store.
    FlowUnknown,
}

/// Claimed work.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Claims {
    /// The branches handed out.
    pub claimed: Vec<Claimed>,
    /// When the next branch within the filter becomes due that is not due yet.
    pub next_due_at: Option<Millis>,
}

/// A granted commit.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Committed {
    /// What the asking session keeps. `input` is filled in unless the value was written by this very commit as
    /// [`pawl_core::Value::New`]: the caller has it.
    pub kept: Vec<Claimed>,
    /// Whether a branch became due at once that nobody holds.
    pub let_go: bool,
    /// The earliest moment at which a branch changed by this commit becomes due later.
    pub next_due_at: Option<Millis>,
    /// Whether the run is over with this commit.
    pub ended: bool,
}

/// A refused commit. Nothing of it was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Somebody else owns the branch now, or nobody does: it was taken over, cancelled or ended. Stop quietly.
    StaleFence,
    /// Somebody else changed the run first. Load it, decide again.
    VersionMoved,
    /// The message to be read is gone: another branch has read it. Wait again.
    SignalTaken,
}

/// A claim as its holder remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClaimCheck {
    /// The run.
    pub run: RunNo,
    /// The branch.
    pub scope: Scope,
    /// The fence.
    pub fence: Fence,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimFate {
    /// The branch has another fence, or is gone.
    Lost {
        /// The state of its run.
        run: Option<RunState>,
    },
    /// The run is paused: the outcome is still welcome, but nothing new will start.
    Held,
}

/// Sessions that were ended because their time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Reaped {
    /// How many branches are free again.
    pub freed: usize,
    /// When the next living session runs out.
    pub next_expiry_at: Option<Millis>,
}

/// An accepted message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalReceipt {
    /// It is stored.
    Accepted {
        /// Whether a branch became due through it.
        woke: bool,
    },
    /// A message with this key was stored before; this one was not.
    Duplicate,
}

/// A refused message.
#[derive(Clone, Debug, PartialEq)]
pub enum SignalRefusal {
    /// No run has this id.
    RunNotFound,
    /// The run is over.
    RunEnded {
        /// How.
        state: RunState,
    },
}

/// A run as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Its number.
    pub run: RunNo,
    /// Its id.
    pub id: RunId,
    /// Its definition.
    pub flow: FlowHash,
    /// The name of its flow.
    pub flow_name: String,
    /// Its state.
    pub state: RunState,
    /// Grows by one with every write to the run as a whole.
    pub version: i64,
    /// When it was started.
    pub created_at: Millis,
    /// When it ended.
    pub ended_at: Option<Millis>,
    /// When it is too late.
    pub deadline_at: Option<Millis>,
    /// Its open branches, by scope.
    pub open: Vec<OpenView>,
}

/// A line of a run's history.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryRecord {
    /// When.
    pub at: Millis,
    /// What.
    pub entry: ResultRecord,
}

/// A recorded result, or something else worth telling.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultRecord {
    /// The result of a node was recorded. The empty path: the run was started with its input.
    Result {
        /// The node.
        path: Path,
        /// Which attempt brought it, from 1. 0 where none was needed: an input, a delay, a message. Putting the outputs of
        /// a fork's branches together is an attempt, with or without a function.
        attempt: u32,
    },
    /// Something else.
    Event(HistoryEvent),
}
