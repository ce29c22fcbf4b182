use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::View;
use pawl_core::{Path, Payload, RunNo};
use pawl_store::ResultRecord;
use std::collections::HashMap;

#[derive(Default)]
pub struct ResultsStay {
    recorded: HashMap<(RunNo, Path), Payload>,
}

impl Checker for ResultsStay {
    fn promise(&self) -> &'static str {
        "a result is recorded once and never changes"
    }

    fn look(&mut self, _: &[Fact], before: &View, after: &View) -> Result<(), String> {
        for (run, seen) in &after.runs {
            for (path, payload) in &seen.results {
                let first = self.recorded.entry((*run, path.clone())).or_insert_with(|| payload.clone());
                ensure(first == payload, || format!("the result of {run} at {path:?} was {first:?}, now {payload:?}"))?;
            }
            let told = seen.history.iter().filter(|line| matches!(line.entry, ResultRecord::Result { .. })).count();
            ensure(told == seen.results.len(), || {
                format!("{run} has {} results and its history tells of {told}", seen.results.len())
            })?;
            if let Some(then) = before.runs.get(run) {
                ensure(seen.results.len() >= then.results.len(), || format!("a result of {run} is gone"))?;
                ensure(!then.is_over() || seen.results.len() == then.results.len(), || {
                    format!("a result was added to {run}, which was over")
                })?;
            }
        }
        Ok(())
    }
}
