//! The truth about a worker, at any moment.

use crate::error::EngineError;
use pawl_core::{Millis, Path, RunId};

/// What a worker is doing.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// In one word.
    pub state: HealthState,
    /// When the store last answered a wish for work.
    pub last_claim_at: Option<Millis>,
    /// When the session was last renewed.
    pub last_heartbeat_at: Option<Millis>,
    /// When the store last took an outcome.
    pub last_commit_at: Option<Millis>,
    /// The last thing that went wrong; also after it went right again.
    pub last_error: Option<EngineError>,
    /// The attempts that are running, oldest first.
    pub running: Vec<RunningAttempt>,
    /// How many may run at once.
    pub slots: usize,
}

/// A worker's condition in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthState {
    /// It works.
    Ok,
    /// The store is away; the worker waits for it.
    Degraded,
    /// The executor does not react.
    Blocked,
    /// It is told to stop and waits for running attempts.
    Stopping,
    /// It has stopped; after a fault, `last_error` says why.
    Stopped,
}

/// An attempt that is running.
#[derive(Clone, Debug, PartialEq)]
pub struct RunningAttempt {
    /// The run's id.
    pub run_id: RunId,
    /// The node.
    pub path: Path,
    /// Which start of its function this is.
    pub attempt: u32,
    /// For how long, in milliseconds.
    pub since_ms: i64,
}
