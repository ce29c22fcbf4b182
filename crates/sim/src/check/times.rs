use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::View;
use pawl_core::{Change, ErrorCode, HistoryKind, Millis, Phase, RunState};

#[derive(Default)]
pub struct NothingIsEarly;

impl Checker for NothingIsEarly {
    fn promise(&self) -> &'static str {
        "no delay, retry, timeout or deadline happens before its time"
    }

    fn look(&mut self, facts: &[Fact], before: &View, after: &View) -> Result<(), String> {
        for fact in facts {
            match fact {
                Fact::Granted { claimed, .. } => {
                    let due_at = match claimed.state.phase {
                        Phase::Backoff { retry_at: at } | Phase::Sleeping { wake_at: at } | Phase::Deadline { at } => {
                            at
                        }
                        Phase::Joining { .. } => return Err(format!("a join was handed out: {claimed:?}")),
                        Phase::Ready | Phase::Awaiting { .. } => continue,
                    };
                    ensure(due_at <= after.now, || format!("handed out before {due_at}: {claimed:?}"))?;
                }
                Fact::Committed(commit) if gave_up_waiting(&commit.decision) => {
                    let open = before.runs.get(&commit.run).map_or(&[][..], |seen| &seen.record.open);
                    let branch = open.iter().find(|branch| branch.scope == commit.scope);
                    let until = branch.and_then(|branch| match branch.state.phase {
                        Phase::Awaiting { timeout_at, .. } => timeout_at,
                        _ => None,
                    });
                    ensure(until.is_some_and(|Millis(at)| at <= after.now.0), || {
                        format!("stopped waiting before {until:?}: {commit:?}")
                    })?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn gave_up_waiting(decision: &pawl_core::Decision) -> bool {
    let failed =
        |state: &RunState| matches!(state, RunState::Failed(failure) if failure.code == ErrorCode::SignalTimeout);
    matches!(&decision.change, Change::End(state) if failed(state))
        || decision.events.iter().any(|event| event.kind == HistoryKind::SignalTimedOut)
}
