//! When a branch is due work, and what its holder gets with it.

use pawl_core::{BranchState, Millis, Path, Phase};

/// When an unclaimed branch in this phase is due. A message that lies ready makes an awaiting branch due at once.
pub fn due_at(phase: &Phase, message_ready: bool, now: Millis) -> Option<Millis> {
    match phase {
        Phase::Awaiting { .. } if message_ready => Some(now),
        _ => phase.due_at(now),
    }
}

/// A clock that was set back by less is waited for.
const SET_BACK_MS: i64 = 1_000;

/// Whether the clock was set back since a store last looked. What was ready then is due by the old time: a store lines it
/// up again, so that it does not wait for the clock to catch up. Moments that were to come stay: they are what the clock
/// shows.
pub fn was_set_back(last: Option<Millis>, now: Millis) -> bool {
    last.is_some_and(|last| now.plus(SET_BACK_MS) <= last)
}

/// The name of the message that a branch in this phase waits for.
pub fn awaited_signal(phase: &Phase) -> Option<&str> {
    match phase {
        Phase::Awaiting { signal, .. } => Some(signal),
        _ => None,
    }
}

/// The result that is handed out together with a claim of a branch in this state.
pub fn wanted_input(state: &BranchState) -> Option<&Path> {
    match state.phase {
        Phase::Ready | Phase::Backoff { .. } => state.input.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000);

    fn awaiting() -> Phase {
        Phase::Awaiting { signal: "ok".into(), timeout_at: Some(Millis(9_000)) }
    }

    #[test]
    fn a_message_that_lies_ready_makes_an_awaiting_branch_due() {
        assert_eq!(due_at(&awaiting(), true, NOW), Some(NOW));
        assert_eq!(due_at(&awaiting(), false, NOW), Some(Millis(9_000)));
    }

    #[test]
    fn a_message_does_not_wake_a_branch_that_does_something_else() {
        assert_eq!(due_at(&Phase::Sleeping { wake_at: Millis(5_000) }, true, NOW), Some(Millis(5_000)));
        assert_eq!(due_at(&Phase::Joining { missing: 1 }, true, NOW), None);
    }

    #[test]
    fn only_a_branch_that_may_call_a_function_gets_its_input() {
        let state = |phase| BranchState {
            node: "charge".into(),
            phase,
            input: Some(Path::run_input()),
            failures: 0,
            timeout_ms: None,
        };
        assert_eq!(wanted_input(&state(Phase::Ready)), Some(&Path::run_input()));
        assert_eq!(wanted_input(&state(Phase::Backoff { retry_at: NOW })), Some(&Path::run_input()));
        assert_eq!(wanted_input(&state(awaiting())), None);
    }
}
