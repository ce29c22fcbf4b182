//! Bringing a worker to life, and noticing when it dies of a fault.

use super::board::Board;
use super::dispatcher::Dispatcher;
use super::handle::{Outcomes, Worker};
use super::options::WorkerOptions;
use crate::event::WorkerEvent;
use crate::executor::{AbortReason, Executor};
use crate::hub::Hub;
use crate::polling::Polling;
use pawl_core::turn::Claimed;
use pawl_core::{RunId, SessionNo};
use pawl_store::{ClaimFilter, Clock, SessionSpec, Store, StoreError};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinError;
use tokio::time::Instant;

/// What a worker works with.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub hub: Arc<Hub>,
    pub executor: Arc<dyn Executor>,
    pub runtime: Handle,
    pub polling: Polling,
}

/// What a worker works on.
pub(crate) struct Job {
    pub session: SessionNo,
    /// By when the session would be over if it is not renewed.
    pub session_until: Instant,
    pub filter: ClaimFilter,
    /// Claims it has already.
    pub kept: Vec<Claimed>,
    /// Set for a runner: it comes to rest when nothing is left to do for this run.
    pub runs_only: Option<RunId>,
}

/// Opens a worker's first session.
pub(crate) async fn open_session(
    store: &Arc<dyn Store>,
    options: &WorkerOptions,
) -> Result<(SessionNo, Instant), StoreError> {
    let until = Instant::now() + options.claim_ttl();
    let spec = SessionSpec { worker: options.name.clone(), ttl_ms: options.claim_ttl_ms };
    Ok((store.open_session(spec).await?, until))
}

/// Starts a worker.
pub(crate) fn launch(around: Surroundings, options: WorkerOptions, job: Job) -> Worker {
    let board = Arc::new(Board::new(around.clock.clone(), options.concurrency));
    let session = job.session;
    let (dispatcher, inbox) = Dispatcher::new(around.clone(), options, job, board.clone());
    let outcomes = Outcomes::new(inbox, dispatcher.tenure.clone());
    around.executor.attached(outcomes.clone());
    let (ended, ended_receiver) = watch::channel(None);
    let worker = Worker::new(outcomes, board.clone(), ended_receiver);
    let task = around.runtime.spawn(dispatcher.run());
    around.runtime.clone().spawn(async move {
        let abandoned = match task.await {
            Ok(abandoned) => abandoned,
            Err(fault) => {
                failed(&around, &board, session, fault).await;
                Vec::new()
            }
        };
        ended.send_replace(Some(abandoned));
    });
    worker
}

/// A fault in pawl must be seen, and must not leave attempts running under claims that nobody renews.
async fn failed(around: &Surroundings, board: &Board, session: SessionNo, fault: JoinError) {
    let message = match fault.try_into_panic() {
        Ok(panic) => match panic.downcast_ref::<&str>() {
            Some(text) => (*text).to_owned(),
            None => panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic without a message".into()),
        },
        Err(cancelled) => cancelled.to_string(),
    };
    let message = format!("The worker stopped because of a fault in pawl, please report it: {message}");
    tracing::error!("{message}");
    let running = board.fail(&message);
    around.executor.abort(running.into_iter().map(|id| (id, AbortReason::ClaimLost)).collect());
    around.executor.event(WorkerEvent::WorkerFailed { message });
    if let Err(error) = around.store.close_session(session).await {
        tracing::debug!(%error, "the session of a failed worker is left to run out");
    }
    around.hub.anything_due(around.clock.now());
}
