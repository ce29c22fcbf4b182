//! How a worker is set up.

use pawl_core::Flow;
use std::sync::Arc;
use std::time::Duration;

/// How a worker is set up. The numbers are checked by [`crate::Engine::worker`].
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, for people.
    pub name: String,
    /// The flows it can work on; registered in the store before it claims anything.
    pub flows: Vec<Arc<Flow>>,
    /// How many attempts run at once, at least 1.
    pub concurrency: usize,
    /// For how long its claims live without a heartbeat. It is renewed four times as often.
    pub claim_ttl_ms: i64,
    /// For how long the executor may not react before the worker stops claiming and renewing.
    pub event_loop_budget_ms: i64,
}

impl WorkerOptions {
    pub(super) fn claim_ttl(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.claim_ttl_ms).unwrap_or_default())
    }
}
