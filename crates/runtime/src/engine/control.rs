//! Cancel, pause and resume.

use super::Engine;
use crate::detail::tell;
use crate::error::EngineError;
use crate::executor::AbortReason;
use pawl_core::run::{Control, decide_control};
use pawl_core::{Commit, ErrorCode, Phase, RunCommit, RunId, RunState};
use pawl_store::{Refused, RunRecord};

/// How often a wish is decided anew because somebody else changed the run meanwhile. Each loss means that another
/// run-wide change went through, so in practice the second attempt succeeds.
const DECIDE_COUNT_MAX: usize = 100;

impl Engine {
    /// Cancels, pauses or resumes a run. It is stored when this answers, and attempts in this process know of it.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`, `PAWL_RUN_ENDED`, `PAWL_RUN_PAUSED`, `PAWL_RUN_NOT_PAUSED`; errors of the store.
    pub async fn control(&self, id: RunId, control: Control) -> Result<(), EngineError> {
        for _ in 0..DECIDE_COUNT_MAX {
            let record =
                self.shared.store.run(id.clone()).await?.ok_or_else(|| EngineError::run_not_found(id.as_str()))?;
            let (state, open, mut event) = decide_control(&record.state, control.clone()).map_err(|refusal| {
                EngineError::new(refusal.code, format!("The run {:?} {}", id.as_str(), refusal.message))
            })?;
            if matches!(state, RunState::Cancelled { .. }) {
                tell(&mut event, "interrupted", under_way(&record).into());
            }
            let commit = RunCommit {
                run: record.run,
                expected_version: record.version,
                state: state.clone(),
                open,
                events: vec![event],
            };
            match self.shared.store.commit(vec![Commit::Run(commit)]).await?.pop() {
                Some(Ok(_)) => {
                    self.tell_of_control(&record, state);
                    return Ok(());
                }
                // Somebody else changed the run first: look again, decide again.
                Some(Err(Refused::VersionMoved | Refused::StaleFence | Refused::SignalTaken)) | None => {}
            }
        }
        let message = format!("The run {:?} is being changed by others without pause; try again", id.as_str());
        Err(EngineError::new(ErrorCode::StoreBusy, message))
    }

    fn tell_of_control(&self, record: &RunRecord, state: RunState) {
        let hub = &self.shared.hub;
        match state {
            RunState::Cancelled { reason, .. } => {
                hub.run_stopped(record.run, AbortReason::Cancelled { reason });
                hub.run_ended(record.run);
            }
            RunState::Paused { .. } => hub.run_stopped(record.run, AbortReason::Paused),
            RunState::Running | RunState::Completed { .. } | RunState::Failed(_) => {
                // What fell due meanwhile is due now; what falls due later is answered to the claim that this wakes.
                hub.due(&record.flow, record.run, self.shared.clock.now());
            }
        }
    }
}

/// The steps that somebody was working on when the run was looked at.
fn under_way(record: &RunRecord) -> Vec<String> {
    let steps = record
        .open
        .iter()
        .filter(|branch| branch.claimed && matches!(branch.state.phase, Phase::Ready | Phase::Backoff { .. }));
    steps.map(|branch| branch.state.node.to_string()).collect()
}
