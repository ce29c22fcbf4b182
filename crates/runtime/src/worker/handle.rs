//! The handle to a worker.

use super::board::Board;
use super::health::Health;
use super::tenure::Tenure;
use crate::executor::{AttemptId, AttemptOutcome};
use pawl_core::{Path, RunId};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

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
    inbox: mpsc::UnboundedSender<Message>,
    outcomes: Outcomes,
    board: Arc<Board>,
    ended: watch::Receiver<Option<Vec<Abandoned>>>,
}

/// What is said to a dispatcher from outside.
pub(super) enum Message {
    Outcomes(Vec<(AttemptId, AttemptOutcome)>),
    /// Stop, and be done with running attempts at this moment.
    Stop(Instant),
}

/// Where an executor delivers outcomes. Holding one does not keep the worker from stopping.
#[derive(Clone, Debug)]
pub struct Outcomes {
    inbox: mpsc::UnboundedSender<Message>,
    tenure: Arc<Tenure>,
}

impl Outcomes {
    pub(super) fn new(inbox: mpsc::UnboundedSender<Message>, tenure: Arc<Tenure>) -> Outcomes {
        Outcomes { inbox, tenure }
    }

    /// Whether a function may be called now: the worker's claims have not run out. An executor asks this right before it
    /// calls, because attempts may have waited in its queue while the whole process was frozen; those it must not call
    /// are answered with [`AttemptOutcome::NotBegun`].
    pub fn may_begin(&self) -> bool {
        self.tenure.holds()
    }

    /// Delivers outcomes. What arrives together is decided together and committed together; outcomes of attempts that
    /// nobody waits for any more are ignored.
    pub fn deliver(&self, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        // A worker that has stopped waits for nothing.
        drop(self.inbox.send(Message::Outcomes(outcomes)));
    }
}

impl Worker {
    pub(super) fn new(outcomes: Outcomes, board: Arc<Board>, ended: watch::Receiver<Option<Vec<Abandoned>>>) -> Worker {
        Worker { inner: Arc::new(Inner { inbox: outcomes.inbox.clone(), outcomes, board, ended }) }
    }

    /// The same as [`Outcomes::deliver`].
    pub fn outcomes(&self, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        self.inner.outcomes.deliver(outcomes);
    }

    /// Stops the worker: nothing new is started, running attempts get `drain_ms` to finish, then they are aborted and
    /// their claims given back. Answers the abandoned ones, a few seconds after `drain_ms` at the latest, even if the
    /// store is away. Stopping twice is stopping once; the earlier end of the two drains holds.
    pub async fn stop(&self, drain_ms: i64) -> Vec<Abandoned> {
        let drain = Duration::from_millis(u64::try_from(drain_ms).unwrap_or_default());
        // Durations that reach beyond the end of time wait for as long as it takes.
        let until =
            Instant::now().checked_add(drain).unwrap_or_else(|| Instant::now() + Duration::from_secs(86_400 * 365));
        // A worker that has ended already has its answer in `ended`.
        drop(self.inner.inbox.send(Message::Stop(until)));
        self.ended().await
    }

    /// What the worker is doing, told from memory.
    pub fn health(&self) -> Health {
        self.inner.board.health()
    }

    /// Resolves when the worker has stopped, for whatever reason.
    pub async fn ended(&self) -> Vec<Abandoned> {
        let mut ended = self.inner.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(abandoned) => abandoned.clone().unwrap_or_default(),
            // The runtime it ran on is gone, and the worker with it.
            Err(_) => Vec::new(),
        }
    }

    pub(crate) fn downgrade(&self) -> WeakWorker {
        WeakWorker { inner: Arc::downgrade(&self.inner) }
    }
}

/// A worker that may have been dropped.
pub(crate) struct WeakWorker {
    inner: Weak<Inner>,
}

impl WeakWorker {
    pub(crate) fn upgrade(&self) -> Option<Worker> {
        self.inner.upgrade().map(|inner| Worker { inner })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Nobody holds the worker any more; a worker that has ended does not hear it.
        drop(self.inbox.send(Message::Stop(Instant::now())));
    }
}
