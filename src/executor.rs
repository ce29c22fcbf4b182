//! The executor that JavaScript is: attempts become messages.

use crate::doorbell::Doorbell;
use crate::event;
use crate::message::Message;
use pawl_core::FlowHash;
use pawl_runtime::{AbortReason, Attempt, AttemptId, AttemptOutcome, Executor, Outcomes, WorkerEvent};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs the functions of one worker.
pub struct JsExecutor {
    doorbell: Arc<Doorbell>,
    outboxes: Arc<Outboxes>,
    worker: u32,
    flow_index: HashMap<FlowHash, u32>,
}

/// Where the outcomes of each worker's attempts go, by the number JavaScript gave the worker.
#[derive(Default)]
pub struct Outboxes(Mutex<HashMap<u32, Outcomes>>);

impl Outboxes {
    /// Delivers outcomes to their worker, if it is still there.
    pub fn deliver(&self, worker: u32, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        let outbox = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&worker).cloned();
        if let Some(outbox) = outbox {
            outbox.deliver(outcomes);
        }
    }

    /// What of this may reach JavaScript now. Attempts whose claims ran out while they lay in the queue (the process was
    /// frozen, and others may have taken over) are answered instead of begun.
    pub fn admit(&self, messages: Vec<Message>) -> Vec<Message> {
        let outboxes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let admit = |message: &Message| match message {
            Message::Run { worker, attempt, .. } => match outboxes.get(worker) {
                Some(outbox) if !outbox.may_begin() => {
                    outbox.deliver(vec![(attempt.id, AttemptOutcome::NotBegun)]);
                    false
                }
                _ => true,
            },
            _ => true,
        };
        let mut messages = messages;
        messages.retain(admit);
        messages
    }

    /// The worker has stopped.
    pub fn remove(&self, worker: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&worker);
    }
}

impl JsExecutor {
    /// An executor for the worker with this number, which knows these flows in this order.
    pub fn new(doorbell: Arc<Doorbell>, outboxes: Arc<Outboxes>, worker: u32, flows: &[FlowHash]) -> JsExecutor {
        JsExecutor { doorbell, outboxes, worker, flow_index: flows.iter().cloned().zip(0..).collect() }
    }
}

impl Executor for JsExecutor {
    fn run(&self, attempts: Vec<Attempt>) {
        let message = |attempt: Attempt| {
            let flow_index = self.flow_index.get(&attempt.flow).copied().unwrap_or(UNKNOWN_FLOW);
            Message::Run { worker: self.worker, flow_index, attempt }
        };
        self.doorbell.push(attempts.into_iter().map(message).collect());
    }

    fn abort(&self, attempts: Vec<(AttemptId, AbortReason)>) {
        let message = |(attempt, reason): (AttemptId, AbortReason)| Message::Abort {
            attempt,
            code: reason.code(),
            message: words(&reason),
        };
        self.doorbell.push(attempts.into_iter().map(message).collect());
    }

    fn unresponsive_ms(&self) -> i64 {
        self.doorbell.unanswered_ms()
    }

    fn attached(&self, outcomes: Outcomes) {
        self.outboxes.0.lock().unwrap_or_else(PoisonError::into_inner).insert(self.worker, outcomes);
    }

    fn event(&self, event: WorkerEvent) {
        self.doorbell.push(vec![event::message(self.worker, event)]);
    }
}

/// No worker has so many flows: JavaScript finds no function there and answers `PAWL_TASK_NOT_IMPLEMENTED`.
const UNKNOWN_FLOW: u32 = u32::MAX;

fn words(reason: &AbortReason) -> String {
    match reason {
        AbortReason::TimedOut => "The attempt took longer than its timeout; its outcome is not waited for".into(),
        AbortReason::Cancelled { reason: Some(reason) } => format!("The run was cancelled: {reason}"),
        AbortReason::Cancelled { reason: None } => "The run was cancelled".into(),
        AbortReason::RunEnded => "The run ended while this attempt was running".into(),
        AbortReason::Paused => "The run was paused; if the attempt succeeds, its result is kept".into(),
        AbortReason::ClaimLost => "This worker lost its claim; the attempt belongs to another worker now".into(),
        AbortReason::Drained => {
            "The worker is stopping and has handed the attempt back; it will run again, here or elsewhere".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::{ErrorCode, NodeIndex, Payload, RunNo};

    fn attempt(flow: &str) -> Attempt {
        Attempt {
            id: AttemptId(7),
            run: RunNo(1),
            run_id: "order-1".into(),
            flow: flow.into(),
            node: NodeIndex(0),
            path: "charge".into(),
            attempt: 1,
            deadline_at: None,
            input: Payload::json("1"),
        }
    }

    #[test]
    fn attempts_name_the_flow_by_its_place_in_the_workers_list() {
        let doorbell = Arc::new(Doorbell::new());
        let executor = JsExecutor::new(doorbell.clone(), Arc::default(), 3, &["aa".into(), "bb".into()]);
        executor.run(vec![attempt("bb"), attempt("aa")]);
        assert_eq!(
            doorbell.take(),
            [
                Message::Run { worker: 3, flow_index: 1, attempt: attempt("bb") },
                Message::Run { worker: 3, flow_index: 0, attempt: attempt("aa") },
            ]
        );
    }

    #[test]
    fn an_abort_carries_the_code_and_the_callers_reason() {
        let doorbell = Arc::new(Doorbell::new());
        let executor = JsExecutor::new(doorbell.clone(), Arc::default(), 1, &[]);
        executor.abort(vec![(AttemptId(7), AbortReason::Cancelled { reason: Some("no stock".into()) })]);
        let message = "The run was cancelled: no stock".into();
        assert_eq!(doorbell.take(), [Message::Abort { attempt: AttemptId(7), code: ErrorCode::RunCancelled, message }]);
    }
}
