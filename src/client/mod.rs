//! One connection: requests come in, messages go out.

#[cfg(test)]
mod tests;

use crate::doorbell::Doorbell;
use crate::error::OpError;
use crate::executor::{JsExecutor, Outboxes};
use crate::message::{Answer, Message};
use crate::{ops, threads};
use pawl_core::{ErrorCode, FlowHash, Payload};
use pawl_runtime::{AttemptId, AttemptOutcome, Engine, Worker};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long a JavaScript thread that ends waits for its claims to be given back. Claims that are not given back by then
/// run out by themselves.
const ABANDON_MAX: Duration = Duration::from_secs(1);

/// A connection as the JavaScript side holds it.
pub struct Client {
    doorbell: Arc<Doorbell>,
    outboxes: Arc<Outboxes>,
    connected: OnceLock<Connected>,
    workers: Mutex<HashMap<u32, Worker>>,
}

/// What a connection has once it is connected.
pub struct Connected {
    /// The engine over the store.
    pub engine: Engine,
    /// How the connection calls itself where people see it.
    pub name: String,
}

impl Client {
    /// A connection that is not connected to a store yet.
    pub fn new() -> Client {
        Client {
            doorbell: Arc::new(Doorbell::new()),
            outboxes: Arc::default(),
            connected: OnceLock::new(),
            workers: Mutex::default(),
        }
    }

    /// Where its messages wait for JavaScript.
    pub fn doorbell(&self) -> Arc<Doorbell> {
        self.doorbell.clone()
    }

    /// Takes the messages that may reach JavaScript now. Called on the JavaScript thread.
    pub fn incoming(&self) -> impl Fn() -> Vec<Message> + Send + 'static {
        let (doorbell, outboxes) = (self.doorbell.clone(), self.outboxes.clone());
        move || outboxes.admit(doorbell.take())
    }

    /// Does what is asked for on the engine's threads. The answer is always one message, whatever happens.
    pub fn call(self: &Arc<Self>, call: i64, op: String, args: String, payload: Option<Payload>) {
        let ticket = Ticket { doorbell: self.doorbell.clone(), call, op, answered: false };
        let client = self.clone();
        match threads::runtime() {
            Ok(runtime) => {
                runtime.spawn(async move {
                    let answer = ops::perform(&client, &ticket.op, &args, payload).await;
                    ticket.answer(answer);
                });
            }
            Err(error) => ticket.answer(Err(error)),
        }
    }

    /// Outcomes of attempts. Those of a worker that has stopped are not wanted any more.
    pub fn outcomes(&self, worker: u32, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        self.outboxes.deliver(worker, outcomes);
    }

    /// The connection ends together with its JavaScript thread: gives back what it holds, in bounded time, and without
    /// waiting for JavaScript, which will not run any more.
    pub fn abandon(&self) {
        self.doorbell.close();
        if let (Some(connected), Ok(runtime)) = (self.connected.get(), threads::runtime()) {
            let closed = runtime.block_on(async { tokio::time::timeout(ABANDON_MAX, connected.engine.close()).await });
            if closed.is_err() {
                tracing::warn!(
                    "a JavaScript thread ended before its claims were given back; they run out by themselves"
                );
            }
        }
    }

    /// Connects, once.
    ///
    /// # Errors
    /// It is connected already: a fault of pawl.
    pub fn connect(&self, connected: Connected) -> Result<(), OpError> {
        let engine = connected.engine.clone();
        self.connected.set(connected).map_err(|_| OpError::internal("The connection is connected already"))?;
        // A JavaScript thread can be gone without a word; then nobody is left to run anything.
        let doorbell = self.doorbell.clone();
        threads::runtime()?.spawn(async move {
            doorbell.gone().await;
            engine.close().await;
        });
        Ok(())
    }

    /// What it has once it is connected.
    ///
    /// # Errors
    /// It is not connected yet: a fault of pawl.
    pub fn connected(&self) -> Result<&Connected, OpError> {
        self.connected.get().ok_or_else(|| OpError::internal("The connection was used before it was connected"))
    }

    /// An executor for the worker with this number.
    pub fn executor(&self, worker: u32, flows: &[FlowHash]) -> Arc<JsExecutor> {
        Arc::new(JsExecutor::new(self.doorbell.clone(), self.outboxes.clone(), worker, flows))
    }

    /// Keeps a started worker until it is stopped.
    pub fn keep(&self, number: u32, worker: Worker) {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).insert(number, worker);
    }

    /// A worker that was started and not stopped.
    ///
    /// # Errors
    /// `PAWL_WORKER_STATE`
    pub fn worker(&self, number: u32) -> Result<Worker, OpError> {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.get(&number).cloned().ok_or_else(|| {
            OpError::new(ErrorCode::WorkerState, "The worker is not running; start it with worker.start() first")
        })
    }

    /// Lets go of a worker that has stopped.
    pub fn forget(&self, number: u32) {
        let worker = self.workers.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        // Outside of the lock: the last handle may stop the worker.
        drop(worker);
        self.outboxes.remove(number);
    }
}

/// Owes an answer to one request. Dropped without one, it says that this is a fault: a panic must not leave a promise
/// pending for ever.
struct Ticket {
    doorbell: Arc<Doorbell>,
    call: i64,
    op: String,
    answered: bool,
}

impl Ticket {
    fn answer(mut self, answer: Result<Answer, OpError>) {
        self.answered = true;
        self.doorbell.push(vec![Message::reply(self.call, answer)]);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.answered {
            let message = format!("\"{}\" ended without an answer; this is a fault in pawl, please report it", self.op);
            self.doorbell.push(vec![Message::reply(self.call, Err(OpError::internal(message)))]);
        }
    }
}
