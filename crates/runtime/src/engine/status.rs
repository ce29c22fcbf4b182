//! Reading runs.

use super::Engine;
use crate::error::EngineError;
use pawl_core::run::{RunView, view};
use pawl_core::{HistoryEvent, HistoryKind, Path, Payload, RunId, RunNo, RunState};
use pawl_store::{HistoryRecord, ListQuery, ResultRecord, RunRecord};

/// A run as its readers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStatus {
    /// What is stored.
    pub record: RunRecord,
    /// Its status in the words users see.
    pub view: RunView,
    /// The output of a completed run, the cause of a failed one.
    pub payload: Option<Payload>,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPage {
    /// The runs, newest first, without payloads.
    pub runs: Vec<RunStatus>,
    /// What to pass as `before` for the next page; `None` when this was the last one.
    pub next: Option<RunNo>,
}

impl Engine {
    /// The status of a run, with its output or the cause of its failure.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`; errors of the store.
    pub async fn status(&self, id: RunId) -> Result<RunStatus, EngineError> {
        self.status_of(self.record(&id).await?).await
    }

    /// Runs, newest first.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn list(&self, query: ListQuery) -> Result<RunPage, EngineError> {
        let limit = query.limit;
        let records = self.shared.store.list(query).await?;
        let next = if records.len() < limit { None } else { records.last().map(|record| record.run) };
        let now = self.shared.clock.now();
        let runs = records.into_iter().map(|record| RunStatus::of(record, None, now)).collect();
        Ok(RunPage { runs, next })
    }

    /// All that is recorded about a run, oldest first, without the values.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`; errors of the store.
    pub async fn history(&self, id: RunId) -> Result<Vec<HistoryRecord>, EngineError> {
        let record = self.record(&id).await?;
        let mut lines = self.shared.store.history(record.run).await?;
        lines.extend(completion(&record));
        Ok(lines)
    }

    /// The recorded result of a node; `None` where nothing is recorded. The empty path is the run's input.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn output(&self, run: RunNo, path: Path) -> Result<Option<Payload>, EngineError> {
        Ok(self.shared.store.results(run, vec![path]).await?.pop().flatten())
    }

    pub(super) async fn record(&self, id: &RunId) -> Result<RunRecord, EngineError> {
        self.shared.store.run(id.clone()).await?.ok_or_else(|| EngineError::run_not_found(id.as_str()))
    }

    /// This life of a run, even if its id is taken by a new life meanwhile.
    pub(super) async fn life(&self, id: &RunId, run: RunNo) -> Result<RunRecord, EngineError> {
        let newest = self.record(id).await?;
        if newest.run == run {
            return Ok(newest);
        }
        let before = Some(RunNo(run.0.saturating_add(1)));
        let query = ListQuery { flow: Some(newest.flow_name.clone()), status: None, before, limit: 1 };
        let older = self.shared.store.list(query).await?.pop().filter(|record| record.run == run);
        older.ok_or_else(|| EngineError::run_not_found(id.as_str()))
    }

    pub(super) async fn status_of(&self, record: RunRecord) -> Result<RunStatus, EngineError> {
        let payload = match &record.state {
            RunState::Completed { output } => self.output(record.run, output.clone()).await?,
            RunState::Failed(failure) => failure.cause.clone(),
            RunState::Running | RunState::Paused { .. } | RunState::Cancelled { .. } => None,
        };
        Ok(RunStatus::of(record, payload, self.shared.clock.now()))
    }
}

/// The last line of a completed run's history. It says nothing that the run's row does not say, so it is not stored.
fn completion(record: &RunRecord) -> Option<HistoryRecord> {
    let at = record.ended_at.filter(|_| matches!(record.state, RunState::Completed { .. }))?;
    let event = HistoryEvent { kind: HistoryKind::Completed, path: None, failure: None, detail: None };
    Some(HistoryRecord { at, entry: ResultRecord::Event(event) })
}

impl RunStatus {
    fn of(record: RunRecord, payload: Option<Payload>, now: pawl_core::Millis) -> RunStatus {
        let output = match record.state {
            RunState::Completed { .. } => payload.clone(),
            _ => None,
        };
        RunStatus { view: view(&record.state, &record.open, output, now), record, payload }
    }
}
