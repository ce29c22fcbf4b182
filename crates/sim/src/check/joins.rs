use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::{Seen, View};
use pawl_core::run::OpenView;
use pawl_core::{NodeKind, Path, Phase, RunNo};
use std::collections::HashSet;

#[derive(Default)]
pub struct JoinsFireOnce {
    fired: HashSet<(RunNo, Path)>,
}

impl Checker for JoinsFireOnce {
    fn promise(&self) -> &'static str {
        "a join fires once, when its last branch has arrived"
    }

    fn look(&mut self, _: &[Fact], before: &View, after: &View) -> Result<(), String> {
        for (run, seen) in &after.runs {
            for branch in &seen.record.open {
                counts_what_is_missing(seen, branch).map_err(|problem| format!("run {run}: {problem}"))?;
            }
            let Some(then) = before.runs.get(run).filter(|_| !seen.is_over()) else { continue };
            for waited in then.record.open.iter().filter(|branch| is_joining(branch)) {
                let waits = |branch: &&OpenView| branch.state.node == waited.state.node && is_joining(branch);
                if seen.record.open.iter().find(waits).is_none() {
                    let node = waited.state.node.clone();
                    ensure(self.fired.insert((*run, node.clone())), || format!("{node} of run {run} fired twice"))?;
                }
            }
        }
        Ok(())
    }
}

fn is_joining(branch: &OpenView) -> bool {
    matches!(branch.state.phase, Phase::Joining { .. })
}

/// A branch on a fork: the counter, the results and the open rows tell the same.
fn counts_what_is_missing(seen: &Seen, branch: &OpenView) -> Result<(), String> {
    let path = &branch.state.node;
    let Some(node) = seen.flow.find(path) else { return Ok(()) };
    ensure(!seen.results.contains_key(path), || format!("a branch stands on {path}, which has its result"))?;
    let NodeKind::Fork(fork) = &node.kind else { return Ok(()) };
    let arrived = |last| seen.results.contains_key(&seen.flow.node(last).path);
    let without_result = fork.branches.iter().filter(|branch| !arrived(branch.last)).count();
    let walking = fork.branches.iter().filter(|branch| seen.stands_in(&branch.scope)).count();
    let missing = match branch.state.phase {
        Phase::Joining { missing } => missing as usize,
        _ => 0,
    };
    ensure((missing, missing) == (without_result, walking), || {
        format!("{path} misses {missing} branches, {without_result} have no result, {walking} are walking")
    })
}
