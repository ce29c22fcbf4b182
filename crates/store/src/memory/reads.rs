//! Questions that change nothing.

use super::run::{Line, Run};
use super::world::World;
use crate::rules::matches;
use crate::{HistoryRecord, ListQuery, RunRecord};
use pawl_core::run::OpenView;
use pawl_core::{Millis, Path, Payload, RunId, RunNo, RunState};

impl World {
    pub fn run_by_id(&self, id: &RunId) -> Option<RunRecord> {
        let run = self.runs.get(self.runs.number_of(id)?)?;
        Some(self.record(run))
    }

    pub fn states(&self, runs: &[RunNo]) -> Vec<Option<RunState>> {
        runs.iter().map(|run| self.runs.get(*run).map(|run| run.state.clone())).collect()
    }

    pub fn list(&self, query: &ListQuery, now: Millis) -> Vec<RunRecord> {
        self.runs
            .newest_first(query.before)
            .filter(|run| query.flow.as_ref().is_none_or(|flow| **flow == *run.flow_name))
            .map(|run| self.record(run))
            .filter(|run| query.status.is_none_or(|status| matches(status, run, now)))
            .take(query.limit)
            .collect()
    }

    pub fn results(&self, run: RunNo, paths: &[Path]) -> Vec<Option<Payload>> {
        let run = self.runs.get(run);
        paths.iter().map(|path| run.and_then(|run| run.results.get(path)).cloned()).collect()
    }

    pub fn history(&self, run: RunNo) -> Vec<HistoryRecord> {
        self.runs.get(run).map_or(Vec::new(), |run| run.history.iter().map(Line::record).collect())
    }

    fn record(&self, run: &Run) -> RunRecord {
        let open = run.branches.iter().map(|(scope, branch)| OpenView {
            scope: scope.clone(),
            state: branch.state.clone(),
            claimed: branch.owner.is_some(),
            worker: branch.owner.and_then(|owner| self.sessions.worker(owner)).map(str::to_owned),
            attempt: branch.tally.attempt,
            due_at: branch.due_at,
        });
        RunRecord {
            run: run.number,
            id: run.id.clone(),
            flow: run.flow.clone(),
            flow_name: run.flow_name.to_string(),
            state: run.state.clone(),
            version: run.version,
            created_at: run.created_at,
            ended_at: run.ended_at,
            deadline_at: run.deadline_at,
            open: open.collect(),
        }
    }
}
