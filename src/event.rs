//! What workers report, as JavaScript gets it.

use crate::message::Message;
use pawl_runtime::WorkerEvent;
use serde_json::json;

/// The message that tells an event of this worker.
pub fn message(worker: u32, event: WorkerEvent) -> Message {
    let (name, data) = match event {
        WorkerEvent::StoreFailed { error } => {
            ("storeFailed", json!({ "code": error.code.as_str(), "message": error.message }))
        }
        WorkerEvent::StoreRecovered => ("storeRecovered", json!({})),
        WorkerEvent::ClaimsLost { attempt_count } => ("claimsLost", json!({ "attemptCount": attempt_count })),
        WorkerEvent::FlowUnknown { flow } => ("flowUnknown", json!({ "hash": flow })),
        WorkerEvent::EventLoopBlocked { blocked_ms } => ("eventLoopBlocked", json!({ "blockedMs": blocked_ms })),
        WorkerEvent::EventLoopFree => ("eventLoopFree", json!({})),
        WorkerEvent::WorkerFailed { message } => ("workerFailed", json!({ "message": message })),
    };
    Message::Event { worker, name, json: data.to_string() }
}
