//! The open branches of a run that begins.

use super::advance::enter;
use crate::branch::{BranchState, DEADLINE_SCOPE, NewBranch, Phase};
use crate::flow::Flow;
use crate::ids::Millis;
use crate::path::{Path, Scope};

/// The branches a new run begins with: the main chain on its first node, the branches of a fork that stands there, and
/// the run's deadline if it has one.
pub fn start(flow: &Flow, now: Millis) -> Vec<NewBranch> {
    let main = enter(flow, flow.first(), Path::run_input(), now);
    let mut branches = vec![NewBranch { scope: Scope::root(), state: main.state }];
    branches.extend(main.branches);
    branches.extend(flow.deadline_ms.map(|after_ms| deadline(now.plus(after_ms))));
    branches
}

fn deadline(at: Millis) -> NewBranch {
    let state = BranchState {
        node: Path::run_input(),
        phase: Phase::Deadline { at },
        input: None,
        failures: 0,
        timeout_ms: None,
    };
    NewBranch { scope: Scope::from(DEADLINE_SCOPE), state }
}
