//! An executor that does what the story says, and remembers what it was told.

use super::soon;
use pawl_core::turn::ThrownError;
use pawl_core::{ErrorCode, Payload};
use pawl_runtime::{AbortReason, Attempt, AttemptId, AttemptOutcome, Executor, Health, Outcomes, Worker, WorkerEvent};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// What an attempt does.
pub enum Reply {
    /// Returns this at once.
    Return(Payload),
    /// Throws this at once.
    Throw(ThrownError),
    /// Runs until the story ends it with [`Script::finish`].
    Hang,
}

type Rule = Box<dyn Fn(&Attempt) -> Reply + Send + Sync>;

/// Everything the executor was told, in order.
#[derive(Default)]
pub struct Log {
    pub started: Vec<Attempt>,
    pub batches: Vec<usize>,
    pub aborted: Vec<(AttemptId, AbortReason)>,
    pub events: Vec<WorkerEvent>,
}

/// See the module.
pub struct Script {
    rules: Mutex<HashMap<String, Rule>>,
    log: watch::Sender<Log>,
    outcomes: Mutex<Option<Outcomes>>,
    unresponsive_ms: AtomicI64,
}

/// An ordinary error of a user's function.
pub fn thrown(message: &str) -> ThrownError {
    let cause = Some(Payload::json(format!("{message:?}")));
    ThrownError { code: ErrorCode::StepFailed, message: message.into(), cause, retryable: true, retry_after_ms: None }
}

impl Script {
    /// Every function returns its input, until the story says otherwise.
    pub fn new() -> Arc<Script> {
        Arc::new(Script {
            rules: Mutex::default(),
            log: watch::Sender::new(Log::default()),
            outcomes: Mutex::default(),
            unresponsive_ms: AtomicI64::new(0),
        })
    }

    /// What the function at this path does.
    pub fn on(&self, path: &str, rule: impl Fn(&Attempt) -> Reply + Send + Sync + 'static) {
        self.rules.lock().unwrap().insert(path.into(), Box::new(rule));
    }

    /// The function at this path runs until the story ends it.
    pub fn hold(&self, path: &str) {
        self.on(path, |_| Reply::Hang);
    }

    /// Ends an attempt well.
    pub fn finish(&self, attempt: &Attempt, output: Payload) {
        self.deliver(vec![(attempt.id, AttemptOutcome::Succeeded(output))]);
    }

    /// Ends an attempt badly.
    pub fn fail(&self, attempt: &Attempt, error: ThrownError) {
        self.deliver(vec![(attempt.id, AttemptOutcome::Failed(error))]);
    }

    /// Delivers outcomes in one batch.
    pub fn deliver(&self, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        self.outcomes.lock().unwrap().clone().expect("a worker is attached").deliver(outcomes);
    }

    /// Whether a function may be called now.
    pub fn may_begin(&self) -> bool {
        self.outcomes.lock().unwrap().as_ref().is_some_and(Outcomes::may_begin)
    }

    /// From now on the executor has not reacted for this long.
    pub fn block(&self, unresponsive_ms: i64) {
        self.unresponsive_ms.store(unresponsive_ms, Ordering::SeqCst);
    }

    /// Waits until the log is as the story wants it.
    pub async fn until(&self, what: &str, holds: impl FnMut(&Log) -> bool) {
        let mut log = self.log.subscribe();
        drop(soon(what, log.wait_for(holds)).await);
    }

    /// The `count`th start of the function at this path, once it has happened.
    pub async fn start(&self, path: &str, count: usize) -> Attempt {
        let nth =
            |log: &Log| log.started.iter().filter(|attempt| attempt.path.as_str() == path).nth(count - 1).cloned();
        self.until(&format!("start {count} of {path}"), |log| nth(log).is_some()).await;
        nth(&self.log.borrow()).expect("it was there a moment ago")
    }

    /// Why this attempt was told to stop, once it was.
    pub async fn abort_of(&self, attempt: &Attempt) -> AbortReason {
        let reason = |log: &Log| log.aborted.iter().find(|(id, _)| *id == attempt.id).map(|(_, reason)| reason.clone());
        self.until(&format!("the abort of {}", attempt.path), |log| reason(log).is_some()).await;
        reason(&self.log.borrow()).expect("it was there a moment ago")
    }

    /// How often the function at this path was started.
    pub fn starts(&self, path: &str) -> usize {
        self.log.borrow().started.iter().filter(|attempt| attempt.path.as_str() == path).count()
    }

    /// All paths started, in order.
    pub fn paths(&self) -> Vec<String> {
        self.log.borrow().started.iter().map(|attempt| attempt.path.to_string()).collect()
    }

    /// The numbers of all attempts, in the order of their starts.
    pub fn ids(&self) -> Vec<AttemptId> {
        self.log.borrow().started.iter().map(|attempt| attempt.id).collect()
    }

    /// How many were told to stop.
    pub fn abort_count(&self) -> usize {
        self.log.borrow().aborted.len()
    }

    /// The sizes of the batches in which attempts came.
    pub fn batches(&self) -> Vec<usize> {
        self.log.borrow().batches.clone()
    }

    /// Waits until the worker's health is as the story wants it. It is told from memory and gives no sign to wait for.
    pub async fn healthy(&self, worker: &Worker, what: &str, holds: impl Fn(&Health) -> bool) {
        let reached = async {
            while !holds(&worker.health()) {
                tokio::task::yield_now().await;
            }
        };
        soon(what, reached).await;
    }

    /// Waits for an event.
    pub async fn event(&self, what: &str, is: impl Fn(&WorkerEvent) -> bool) {
        self.until(what, |log| log.events.iter().any(&is)).await;
    }

    /// How many such events there were.
    pub fn events(&self, is: impl Fn(&WorkerEvent) -> bool) -> usize {
        self.log.borrow().events.iter().filter(|event| is(event)).count()
    }
}

impl Executor for Script {
    fn run(&self, attempts: Vec<Attempt>) {
        let rules = self.rules.lock().unwrap();
        let mut outcomes = Vec::new();
        for attempt in &attempts {
            let reply =
                rules.get(attempt.path.as_str()).map_or_else(|| Reply::Return(attempt.input.clone()), |r| r(attempt));
            match reply {
                Reply::Return(output) => outcomes.push((attempt.id, AttemptOutcome::Succeeded(output))),
                Reply::Throw(error) => outcomes.push((attempt.id, AttemptOutcome::Failed(error))),
                Reply::Hang => {}
            }
        }
        drop(rules);
        self.log.send_modify(|log| {
            log.batches.push(attempts.len());
            log.started.extend(attempts);
        });
        if !outcomes.is_empty() {
            self.deliver(outcomes);
        }
    }

    fn abort(&self, attempts: Vec<(AttemptId, AbortReason)>) {
        self.log.send_modify(|log| log.aborted.extend(attempts));
    }

    fn unresponsive_ms(&self) -> i64 {
        self.unresponsive_ms.load(Ordering::SeqCst)
    }

    fn attached(&self, outcomes: Outcomes) {
        *self.outcomes.lock().unwrap() = Some(outcomes);
    }

    fn event(&self, event: WorkerEvent) {
        self.log.send_modify(|log| log.events.push(event));
    }
}
