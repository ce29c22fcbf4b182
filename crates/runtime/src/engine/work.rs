//! Workers and runners: the same dispatcher, for everything or for one run.

use super::start::StartedHere;
use super::{Engine, RunStatus, StartRequest};
use crate::error::EngineError;
use crate::executor::Executor;
use crate::worker::{Job, Surroundings, Worker, WorkerOptions, launch, open_session};
use pawl_core::turn::Claimed;
use pawl_core::{ErrorCode, FlowHash, RunId, RunNo, SessionNo};
use pawl_store::{ClaimFilter, RunRecord};
use std::sync::{Arc, PoisonError};
use tokio::time::Instant;

/// The shortest life of a claim. Below it, an ordinary pause of a machine would look like its death.
const CLAIM_TTL_MS_MIN: i64 = 100;

impl Engine {
    /// Starts a worker. It claims work of its flows until it is stopped.
    ///
    /// # Errors
    /// `PAWL_OPTION` for numbers out of range; errors of the store.
    pub async fn worker(&self, options: WorkerOptions, executor: Arc<dyn Executor>) -> Result<Worker, EngineError> {
        check(&options)?;
        let (session, session_until) = open_session(&self.shared.store, &options).await?;
        let flows = options.flows.iter().map(|flow| flow.hash.clone()).collect();
        let filter = ClaimFilter::Flows(flows);
        let job = Job { session, session_until, filter, kept: Vec::new(), runs_only: None };
        Ok(self.launch(options, job, executor))
    }

    /// Starts a run and drives it here to its end or to where it parks. A run that exists and is wanted is driven on.
    ///
    /// # Errors
    /// As [`Engine::start`], and `PAWL_FLOW_MISMATCH` when the run was started from another shape of its flow.
    pub async fn run_here(
        &self,
        request: StartRequest,
        options: WorkerOptions,
        executor: Arc<dyn Executor>,
    ) -> Result<RunStatus, EngineError> {
        check(&options)?;
        let flow = self.flow_to_start(&request.flow, request.hash.as_ref()).await?;
        known_here(&options, &flow.name, &flow.hash, &request.id)?;
        let (session, session_until) = open_session(&self.shared.store, &options).await?;
        let id = request.id.clone();
        let started = self.start_kept(request, &flow, Some((session, options.concurrency))).await;
        match started {
            Ok(StartedHere { reply, kept }) if !reply.existing => {
                self.drive_claimed(id, reply.run, kept, (session, session_until), options, executor).await
            }
            Ok(_) => {
                self.close_unused(session).await;
                self.drive(id, options, executor).await
            }
            Err(error) => {
                self.close_unused(session).await;
                Err(error)
            }
        }
    }

    /// Drives a stored run here to its end or to where it parks. A run that is over or paused is only looked at; so is
    /// one that others work on, if they leave nothing to do.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`, `PAWL_FLOW_UNKNOWN`, `PAWL_FLOW_MISMATCH`; errors of the store.
    pub async fn drive(
        &self,
        id: RunId,
        options: WorkerOptions,
        executor: Arc<dyn Executor>,
    ) -> Result<RunStatus, EngineError> {
        check(&options)?;
        let record: RunRecord = self.record(&id).await?;
        known_here(&options, &record.flow_name, &record.flow, &id)?;
        if record.state != pawl_core::RunState::Running {
            return self.status_of(record).await;
        }
        let session = open_session(&self.shared.store, &options).await?;
        self.drive_claimed(id, record.run, Vec::new(), session, options, executor).await
    }

    async fn drive_claimed(
        &self,
        id: RunId,
        run: RunNo,
        kept: Vec<Claimed>,
        (session, session_until): (SessionNo, Instant),
        options: WorkerOptions,
        executor: Arc<dyn Executor>,
    ) -> Result<RunStatus, EngineError> {
        let filter = ClaimFilter::Run(run);
        let job = Job { session, session_until, filter, kept, runs_only: Some(id.clone()) };
        let worker = self.launch(options, job, executor);
        worker.ended().await;
        if let Some(fault) = worker.health().last_error.filter(|error| error.code == ErrorCode::Internal) {
            return Err(fault);
        }
        self.status_of(self.life(&id, run).await?).await
    }

    fn launch(&self, options: WorkerOptions, job: Job, executor: Arc<dyn Executor>) -> Worker {
        let around = Surroundings {
            store: self.shared.store.clone(),
            clock: self.shared.clock.clone(),
            hub: self.shared.hub.clone(),
            executor,
            runtime: self.shared.runtime.clone(),
            polling: self.shared.polling,
        };
        let worker = launch(around, options, job);
        let mut workers = self.shared.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.retain(|worker| worker.upgrade().is_some());
        workers.push(worker.downgrade());
        worker
    }

    async fn close_unused(&self, session: SessionNo) {
        if let Err(error) = self.shared.store.close_session(session).await {
            tracing::debug!(%error, "a session that holds nothing is left to run out");
        }
    }
}

fn check(options: &WorkerOptions) -> Result<(), EngineError> {
    let problem = if options.concurrency == 0 {
        "concurrency is 0; a worker needs at least one slot".to_owned()
    } else if options.claim_ttl_ms < CLAIM_TTL_MS_MIN {
        format!("claimTtl is {} ms; it may be {CLAIM_TTL_MS_MIN} ms or more", options.claim_ttl_ms)
    } else if options.event_loop_budget_ms < 1 {
        format!("eventLoopBudget is {} ms; it may be 1 ms or more", options.event_loop_budget_ms)
    } else {
        return Ok(());
    };
    Err(EngineError::new(ErrorCode::Option, problem))
}

/// A run goes on under the shape it was started with, or not at all.
fn known_here(options: &WorkerOptions, name: &str, hash: &FlowHash, id: &RunId) -> Result<(), EngineError> {
    if options.flows.iter().any(|flow| flow.hash == *hash) {
        return Ok(());
    }
    let id = id.as_str();
    Err(match options.flows.iter().find(|flow| *flow.name == *name) {
        Some(here) => EngineError::new(
            ErrorCode::FlowMismatch,
            format!(
                "Definition mismatch: the run {id:?} was started from the shape {hash} of the flow {name:?}, and this \
                 process has the shape {}; go on with the flow it was started from",
                here.hash
            ),
        ),
        None => EngineError::new(
            ErrorCode::FlowUnknown,
            format!("The run {id:?} is one of the flow {name:?}, which this process does not have; give the flow"),
        ),
    })
}
