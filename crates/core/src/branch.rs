//! Where a run stands. A run's snapshot is nothing but its open branches: one narrow row per chain that is being
//! walked, moved in place along the graph.

use crate::ids::Millis;
use crate::path::{Path, Scope};
use std::sync::Arc;

/// The position of one open branch: all that `core` needs to go on, and nothing that is already stored elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchState {
    /// The node it stands on.
    pub node: Path,
    /// What it is doing there.
    pub phase: Phase,
    /// The stored result that is the node's input. `None`: the outputs of the fork's branches, found by the graph.
    pub input: Option<Path>,
    /// Attempts at this node that failed or timed out. Attempts lost with their worker are counted by the store.
    pub failures: u32,
    /// What a claim of this branch adds to the clock to get the attempt's deadline, in milliseconds.
    pub timeout_ms: Option<i64>,
}

/// What a branch is doing on its node. The stored numbers are in docs/FORMATS.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Due at once: waits for a worker, or is being worked on when it has an owner.
    Ready,
    /// An attempt failed; the next is due at this moment.
    Backoff {
        /// When the next attempt is due.
        retry_at: Millis,
    },
    /// On a delay.
    Sleeping {
        /// When the delay is over.
        wake_at: Millis,
    },
    /// On a signal node. A message that arrives, or has been waiting, makes it due at once.
    Awaiting {
        /// The name of the message.
        signal: Arc<str>,
        /// When it stops waiting.
        timeout_at: Option<Millis>,
    },
    /// On a fork, while its branches are walked. Never due: the last branch to arrive moves it.
    Joining {
        /// How many branches have not arrived.
        missing: u32,
    },
    /// Not a chain at all: the run's own deadline, kept beside its branches so that a due deadline is due work.
    Deadline {
        /// When the run is too late.
        at: Millis,
    },
}

/// A branch that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBranch {
    /// The chain it walks.
    pub scope: Scope,
    /// Where it begins.
    pub state: BranchState,
}

/// The scope under which a run's deadline is kept. No chain can have this name: names cannot begin with `$`.
pub const DEADLINE_SCOPE: &str = "$deadline";

impl Phase {
    /// When a branch in this phase becomes due work; `None` if only somebody else can move it.
    pub fn due_at(&self, now: Millis) -> Option<Millis> {
        match self {
            Phase::Ready => Some(now),
            Phase::Backoff { retry_at } => Some(*retry_at),
            Phase::Sleeping { wake_at } => Some(*wake_at),
            Phase::Awaiting { timeout_at, .. } => *timeout_at,
            Phase::Joining { .. } => None,
            Phase::Deadline { at } => Some(*at),
        }
    }
}
