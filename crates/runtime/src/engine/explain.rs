//! What will move a run next, or why nothing will.

use super::Engine;
use crate::error::EngineError;
use pawl_core::run::{OpenView, RunView, view};
use pawl_core::{Millis, Phase, RunId, RunState};
use pawl_store::RunRecord;

/// Why a run is where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The run with its open branches.
    pub record: RunRecord,
    /// Its status in the words users see.
    pub view: RunView,
    /// One sentence: what will move it next, or why nothing will.
    pub summary: String,
    /// For each open branch of the record, in its order: what it waits for, in words.
    pub waits_for: Vec<String>,
}

impl Engine {
    /// What will move this run next, or why nothing will.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`; errors of the store.
    pub async fn explain(&self, id: RunId) -> Result<Explanation, EngineError> {
        let record = self.record(&id).await?;
        let now = self.shared.clock.now();
        let waits_for = record.open.iter().map(|branch| waits_for(branch, now)).collect();
        let view = view(&record.state, &record.open, None, now);
        Ok(Explanation { view, summary: summary(&record, now), waits_for, record })
    }
}

fn summary(record: &RunRecord, now: Millis) -> String {
    match &record.state {
        RunState::Running => running(record, now),
        RunState::Paused { reason, by } => {
            format!("Paused{}; only resume() or cancel() moves it.", because(reason, by))
        }
        RunState::Completed { .. } => "Completed; nothing will move it any more.".into(),
        RunState::Failed(failure) => match &failure.path {
            Some(path) => format!("Failed at \"{path}\" ({}); nothing will move it any more.", failure.code.as_str()),
            None => format!("Failed ({}); nothing will move it any more.", failure.code.as_str()),
        },
        RunState::Cancelled { reason, by } => {
            format!("Cancelled{}; nothing will move it any more.", because(reason, by))
        }
    }
}

/// The branch that moves first speaks for the run.
fn running(record: &RunRecord, now: Millis) -> String {
    let first = record
        .open
        .iter()
        .filter(|branch| !matches!(branch.state.phase, Phase::Joining { .. } | Phase::Deadline { .. }))
        .min_by_key(|branch| (!branch.claimed, branch.due_at.unwrap_or(Millis(i64::MAX))));
    match first {
        Some(branch) => format!("\"{}\" {}.", branch.state.node, waits_for(branch, now)),
        None => "The run has no open branch that could move; this is a fault in pawl, please report it.".into(),
    }
}

fn waits_for(branch: &OpenView, now: Millis) -> String {
    if branch.claimed {
        let worker = branch.worker.as_deref().unwrap_or("unknown");
        return format!("is being worked on by the worker \"{worker}\", attempt {}", branch.attempt);
    }
    let due = branch.due_at.is_some_and(|at| at <= now);
    match &branch.state.phase {
        Phase::Awaiting { signal, .. } if due => {
            format!("has its message \"{signal}\" or its timeout, and waits for a worker that knows this flow")
        }
        Phase::Joining { missing } => format!("waits for {missing} of its branches"),
        Phase::Deadline { at } => format!("ends the run at {at} (milliseconds since 1970) if it is not over by then"),
        _ if due => "is due and waits for a worker that knows this flow".into(),
        Phase::Ready => "waits for a worker that knows this flow".into(),
        Phase::Backoff { retry_at } => {
            let times = match branch.state.failures {
                1 => "once".to_owned(),
                failures => format!("{failures} times"),
            };
            format!("failed {times} and is tried again in {} ms", left(*retry_at, now))
        }
        Phase::Sleeping { wake_at } => format!("sleeps for another {} ms", left(*wake_at, now)),
        Phase::Awaiting { signal, timeout_at: None } => format!("awaits the signal \"{signal}\", without a timeout"),
        Phase::Awaiting { signal, timeout_at: Some(at) } => {
            format!("awaits the signal \"{signal}\" for another {} ms", left(*at, now))
        }
    }
}

fn left(at: Millis, now: Millis) -> i64 {
    at.0.saturating_sub(now.0)
}

fn because(reason: &Option<String>, by: &Option<String>) -> String {
    let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{by}{reason}")
}
