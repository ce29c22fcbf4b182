use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::{Seen, View};
use pawl_core::{NodeKind, Path, Payload};

#[derive(Default)]
pub struct InputsAreRecorded;

impl Checker for InputsAreRecorded {
    fn promise(&self) -> &'static str {
        "a function gets what is recorded as its input"
    }

    fn look(&mut self, facts: &[Fact], _: &View, after: &View) -> Result<(), String> {
        for fact in facts {
            let Fact::AttemptStarted { run, node, input, recorded_at } = fact else { continue };
            let recorded = after.runs.get(run).and_then(|seen| recorded(seen, node, recorded_at));
            ensure(recorded.as_ref() == Some(input), || {
                format!("{node} of run {run} got {input:?}; recorded is {recorded:?}")
            })?;
        }
        Ok(())
    }
}

/// The input of a node as the results say: one of them, or for a join all of its branches by name.
fn recorded(seen: &Seen, node: &Path, recorded_at: &[Path]) -> Option<Payload> {
    let NodeKind::Fork(fork) = &seen.flow.find(node)?.kind else {
        return recorded_at.first().and_then(|path| seen.results.get(path)).cloned();
    };
    let mut parts = Vec::new();
    for branch in &fork.branches {
        parts.push((branch.name.as_ref(), seen.results.get(&seen.flow.node(branch.last).path)?));
    }
    Some(Payload::object(parts))
}
