//! Which runs a list with a status filter shows.

use crate::{RunRecord, StatusFilter};
use pawl_core::Millis;
use pawl_core::run::{RunView, view};

/// Whether a run has this status now, in the words users see.
pub fn matches(filter: StatusFilter, run: &RunRecord, now: Millis) -> bool {
    filter == status(&view(&run.state, &run.open, None, now))
}

fn status(view: &RunView) -> StatusFilter {
    match view {
        RunView::Running => StatusFilter::Running,
        RunView::Waiting { .. } => StatusFilter::Waiting,
        RunView::AwaitingSignal { .. } => StatusFilter::AwaitingSignal,
        RunView::Paused { .. } => StatusFilter::Paused,
        RunView::Completed { .. } => StatusFilter::Completed,
        RunView::Failed(_) => StatusFilter::Failed,
        RunView::Cancelled { .. } => StatusFilter::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::run::OpenView;
    use pawl_core::turn;
    use pawl_core::{RunNo, RunState};

    const NOW: Millis = Millis(1_000);

    fn sleeper() -> RunRecord {
        let text = r#"{"name":"nap","nodes":[{"scope":"","name":"nap","kind":"delay","forMs":50}]}"#;
        let definition: pawl_core::flow::Definition = serde_json::from_str(text).unwrap();
        let flow = definition.build().unwrap();
        let open = turn::start(&flow, NOW).into_iter().map(|branch| OpenView {
            due_at: branch.state.phase.due_at(NOW),
            scope: branch.scope,
            state: branch.state,
            claimed: false,
            worker: None,
            attempt: 0,
        });
        RunRecord {
            run: RunNo(1),
            id: "order-1".into(),
            flow: flow.hash.clone(),
            flow_name: "nap".into(),
            state: RunState::Running,
            version: 1,
            created_at: NOW,
            ended_at: None,
            deadline_at: None,
            open: open.collect(),
        }
    }

    #[test]
    fn a_sleeping_run_is_waiting_until_its_time_has_come() {
        assert!(matches(StatusFilter::Waiting, &sleeper(), NOW));
        assert!(!matches(StatusFilter::Running, &sleeper(), NOW));
        assert!(matches(StatusFilter::Running, &sleeper(), NOW.plus(50)));
    }

    #[test]
    fn a_run_has_one_status_at_a_time() {
        let paused = RunRecord { state: RunState::Paused { reason: None, by: None }, ..sleeper() };
        assert!(matches(StatusFilter::Paused, &paused, NOW));
        assert!(!matches(StatusFilter::Waiting, &paused, NOW));
    }
}
