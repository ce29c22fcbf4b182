//! What really happened between the store and everybody else, whether its answer arrived or not.

use pawl_core::turn::Claimed;
use pawl_core::{BranchCommit, Fence, FlowHash, Millis, Path, Payload, RunId, RunNo, Scope, SessionNo};

#[derive(Clone, Debug)]
pub enum Fact {
    /// A session was opened or extended.
    SessionLives { session: SessionNo, until: Millis },
    /// A session ended in good order.
    SessionClosed { session: SessionNo },
    /// A run was started.
    Started { run: RunNo, id: RunId, flow: FlowHash, input: Payload },
    /// A branch was handed out.
    Granted { session: SessionNo, claimed: Box<Claimed> },
    /// A claim was given back.
    HandedBack { run: RunNo, scope: Scope, fence: Fence },
    /// A turn of a branch was accepted.
    Committed(Box<BranchCommit>),
    /// A message was accepted.
    Signalled { id: RunId, name: String, key: Option<String>, payload: Payload },
    /// A message was refused because its key was known.
    Duplicate { id: RunId, key: Option<String> },
    /// A worker started a function with an input.
    AttemptStarted { run: RunNo, node: Path, input: Payload, recorded_at: Vec<Path> },
}
