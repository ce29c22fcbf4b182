//! Waiting for the end of a run: pushed, not polled.

use super::{Engine, RunStatus};
use crate::error::EngineError;
use pawl_core::{ErrorCode, RunId, RunState};
use pawl_store::{RunRecord, StoreError};
use std::time::Duration;

/// How often a store that is away is asked again: the wait itself outlasts an outage.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

impl Engine {
    /// The status of a run once it is over. `None` waits for as long as it takes; 0 ms only looks.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`; `PAWL_RESULT_TIMEOUT` when the run is not over in time; errors of the store.
    pub async fn result(&self, id: RunId, timeout_ms: Option<i64>) -> Result<RunStatus, EngineError> {
        let record = self.record(&id).await?;
        if record.state.is_terminal() {
            return self.status_of(record).await;
        }
        let wait = self.end_of(record);
        let Some(timeout_ms) = timeout_ms else { return wait.await };
        let limit = Duration::from_millis(u64::try_from(timeout_ms).unwrap_or_default());
        match tokio::time::timeout(limit, wait).await {
            Ok(status) => status,
            Err(_) => Err(EngineError::new(
                ErrorCode::ResultTimeout,
                format!("The run {:?} did not end within {timeout_ms} ms; it goes on", id.as_str()),
            )),
        }
    }

    /// The end of this life of the run, even if its id is taken by a new life meanwhile.
    async fn end_of(&self, record: RunRecord) -> Result<RunStatus, EngineError> {
        let mut ended = self.shared.wait_for(record.run);
        loop {
            // Asked after the registration, so an end between the two is not missed.
            match self.ended_life(&record).await {
                Ok(Some(ended)) => return self.status_of(ended).await,
                Ok(None) => ended.changed().await,
                Err(error) if error.passing => tokio::time::sleep(RETRY_INTERVAL).await,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// This life of the run, if it is over.
    async fn ended_life(&self, record: &RunRecord) -> Result<Option<RunRecord>, StoreError> {
        let newest = self.shared.store.run(record.id.clone()).await?;
        if let Some(newest) = newest.filter(|newest| newest.run == record.run) {
            return Ok(Some(newest).filter(|newest| newest.state.is_terminal()));
        }
        // A new life has the id: of the old one only its state is told apart.
        let state = self.shared.store.states(vec![record.run]).await?.pop().flatten();
        let state = state.unwrap_or(RunState::Cancelled { reason: None, by: None });
        Ok(Some(RunRecord { state, ended_at: Some(self.shared.clock.now()), open: Vec::new(), ..record.clone() }))
    }
}
