use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::View;
use pawl_core::run::OpenView;
use pawl_core::{Phase, RunState};

#[derive(Default)]
pub struct SomethingMoves;

impl Checker for SomethingMoves {
    fn promise(&self) -> &'static str {
        "a running run has due work, a timer or a wait"
    }

    fn look(&mut self, _: &[Fact], _: &View, after: &View) -> Result<(), String> {
        for (run, seen) in &after.runs {
            if seen.record.state == RunState::Running {
                let open = &seen.record.open;
                ensure(open.iter().any(moves), || format!("nothing will move run {run}: {open:?}"))?;
            }
        }
        Ok(())
    }
}

/// Whether this branch moves by itself, by its worker or by a message. A deadline only ends what does not move.
fn moves(branch: &OpenView) -> bool {
    match branch.state.phase {
        Phase::Joining { .. } | Phase::Deadline { .. } => false,
        Phase::Awaiting { .. } => true,
        Phase::Ready | Phase::Backoff { .. } | Phase::Sleeping { .. } => branch.claimed || branch.due_at.is_some(),
    }
}
