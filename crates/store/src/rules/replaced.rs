//! What becomes of a run whose id begins a new life.

use pawl_core::run::{Control, decide_control};
use pawl_core::{HistoryEvent, RunState};

/// Why a run was cancelled that had to make room.
const REASON: &str = "replaced by a new run with the same id (onConflict: 'terminateExisting')";

/// The last state of a run that has to make room, and the line for its history; `None` if it is over already.
pub fn replaced(state: &RunState) -> Option<(RunState, HistoryEvent)> {
    let cancel = Control::Cancel { reason: Some(REASON.into()), by: None };
    decide_control(state, cancel).ok().map(|(state, _, event)| (state, event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::HistoryKind;

    #[test]
    fn a_running_run_is_cancelled_and_an_ended_one_stays_as_it_is() {
        let (state, event) = replaced(&RunState::Running).unwrap();
        assert_eq!(state, RunState::Cancelled { reason: Some(REASON.into()), by: None });
        assert_eq!(event.kind, HistoryKind::Cancelled);
        assert_eq!(replaced(&state), None);
    }
}
