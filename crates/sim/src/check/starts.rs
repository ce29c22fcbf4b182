use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::View;
use pawl_core::{Path, Payload, RunId, RunNo};

#[derive(Default)]
pub struct StartsAreKept {
    started: Vec<(RunNo, RunId, Payload)>,
}

impl Checker for StartsAreKept {
    fn promise(&self) -> &'static str {
        "a run that was started stays, with its id and its input"
    }

    fn look(&mut self, facts: &[Fact], _: &View, after: &View) -> Result<(), String> {
        for fact in facts {
            if let Fact::Started { run, id, flow, input } = fact {
                self.started.push((*run, id.clone(), input.clone()));
                let stored = after.runs.get(run).map(|seen| &seen.record.flow);
                ensure(stored == Some(flow), || format!("run {run} ({id}) was started and is not stored"))?;
            }
        }
        for (run, id, input) in &self.started {
            let stored = after.runs.get(run).map(|seen| (&seen.record.id, seen.results.get(&Path::run_input())));
            ensure(stored == Some((id, Some(input))), || format!("run {run} ({id}) is stored as {stored:?}"))?;
        }
        Ok(())
    }
}
