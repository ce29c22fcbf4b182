//! What a worker reports while it goes on working.

use pawl_core::FlowHash;
use pawl_store::StoreError;

/// Something worth telling an operator. No event needs an answer: the worker deals with all of them itself.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerEvent {
    /// The store did not do its work; the worker asks again until it does. Told once per outage.
    StoreFailed {
        /// What the store said.
        error: StoreError,
    },
    /// The store works again.
    StoreRecovered,
    /// The worker's session ran out or was taken over: these attempts were aborted, their new owners run them.
    ClaimsLost {
        /// How many attempts were running.
        attempt_count: usize,
    },
    /// Work was handed to this worker whose flow it does not know; it was given back. Told once per flow.
    FlowUnknown {
        /// The flow's hash.
        flow: FlowHash,
    },
    /// The executor does not react: nothing new is claimed and claims are not renewed until it does.
    EventLoopBlocked {
        /// For how long it has not reacted.
        blocked_ms: i64,
    },
    /// The executor reacts again.
    EventLoopFree,
    /// A fault in pawl itself stopped the worker; its claims were given back.
    WorkerFailed {
        /// What went wrong.
        message: String,
    },
}
