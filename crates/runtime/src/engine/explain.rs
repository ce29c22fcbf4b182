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
        _ if due => "is due and waits for a worker that knows this flow".into(),
        Phase::Deadline { at } => format!("ends the run in {} if it is not over by then", left(*at, now)),
        Phase::Ready => "waits for a worker that knows this flow".into(),
        Phase::Backoff { retry_at } => {
            let times = match branch.state.failures {
                1 => "once".to_owned(),
                failures => format!("{failures} times"),
            };
            format!("failed {times} and is tried again in {}", left(*retry_at, now))
        }
        Phase::Sleeping { wake_at } => format!("sleeps for another {}", left(*wake_at, now)),
        Phase::Awaiting { signal, timeout_at: None } => format!("awaits the signal \"{signal}\", without a timeout"),
        Phase::Awaiting { signal, timeout_at: Some(at) } => {
            format!("awaits the signal \"{signal}\" for another {}", left(*at, now))
        }
    }
}

/// Longest first.
const UNITS: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// How long until then, in its largest unit and the one below it, as in `37m 44s`: people read this.
fn left(at: Millis, now: Millis) -> String {
    let left_ms = at.0.saturating_sub(now.0).max(0);
    let Some(largest) = UNITS.iter().position(|(_, unit_ms)| left_ms >= *unit_ms) else { return "0ms".into() };
    let (name, unit_ms) = UNITS[largest];
    let whole = format!("{}{name}", left_ms / unit_ms);
    match UNITS.get(largest + 1).map(|(below, below_ms)| (below, left_ms % unit_ms / below_ms)) {
        None | Some((_, 0)) => whole,
        Some((below, count)) => format!("{whole} {count}{below}"),
    }
}

fn because(reason: &Option<String>, by: &Option<String>) -> String {
    let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{by}{reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_told_in_two_neighbouring_units() {
        let told = |ms| left(Millis(ms), Millis(0));
        let lengths = [-5, 0, 999, 1_250, 60_000, 2_264_536, 3_600_250, 172_800_000 + 3_599_999].map(told);
        assert_eq!(lengths, ["0ms", "0ms", "999ms", "1s 250ms", "1m", "37m 44s", "1h", "2d"]);
    }
}
