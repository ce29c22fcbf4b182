use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::View;
use pawl_core::RunState;

#[derive(Default)]
pub struct NothingStarts;

impl Checker for NothingStarts {
    fn promise(&self) -> &'static str {
        "nothing of a run that is paused or over is handed out"
    }

    fn look(&mut self, facts: &[Fact], before: &View, after: &View) -> Result<(), String> {
        for fact in facts {
            let Fact::Granted { claimed, .. } = fact else { continue };
            if let Some(then) = before.runs.get(&claimed.run) {
                let state = &then.record.state;
                ensure(*state == RunState::Running, || {
                    format!(
                        "{} of run {} was handed out while the run is {}",
                        claimed.state.node,
                        claimed.run,
                        state.as_str()
                    )
                })?;
            }
        }
        for (run, seen) in after.runs.iter().filter(|(_, seen)| seen.is_over()) {
            ensure(seen.record.open.is_empty(), || {
                format!("run {run} is {} and has open branches", seen.record.state.as_str())
            })?;
        }
        Ok(())
    }
}
