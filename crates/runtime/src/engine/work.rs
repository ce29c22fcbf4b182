//! Workers and runners: the same dispatcher, for everything or for one run.

use super::{Engine, RunStatus, StartRequest};
use crate::error::EngineError;
use crate::executor::Executor;
use crate::worker::{Worker, WorkerOptions};
use pawl_core::{ErrorCode, RunId};
use std::sync::Arc;

impl Engine {
    /// Starts a worker. It claims work of its flows until it is stopped.
    ///
    /// # Errors
    /// `PAWL_OPTION` for numbers out of range; errors of the store.
    pub async fn worker(&self, options: WorkerOptions, executor: Arc<dyn Executor>) -> Result<Worker, EngineError> {
        drop((options, executor));
        Err(EngineError::new(ErrorCode::Internal, "workers are being built"))
    }

    /// Starts a run and drives it here to its end or to where it parks.
    ///
    /// # Errors
    /// As [`Engine::start`], and `PAWL_FLOW_MISMATCH` when the run was started from another shape of its flow.
    pub async fn run_here(
        &self,
        request: StartRequest,
        options: WorkerOptions,
        executor: Arc<dyn Executor>,
    ) -> Result<RunStatus, EngineError> {
        drop((request, options, executor));
        Err(EngineError::new(ErrorCode::Internal, "runners are being built"))
    }

    /// Drives a stored run here to its end or to where it parks. A run that is over or paused is only looked at.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`, `PAWL_FLOW_MISMATCH`; errors of the store.
    pub async fn drive(
        &self,
        id: RunId,
        options: WorkerOptions,
        executor: Arc<dyn Executor>,
    ) -> Result<RunStatus, EngineError> {
        drop((id, options, executor));
        Err(EngineError::new(ErrorCode::Internal, "runners are being built"))
    }
}
