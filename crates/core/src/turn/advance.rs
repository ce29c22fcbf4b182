//! From one node to the next: entering a node, and going on after one.

use crate::branch::{BranchState, NewBranch, Phase};
use crate::commit::Change;
use crate::flow::{Delay, Flow, Fork, Node, NodeKind};
use crate::ids::Millis;
use crate::path::Path;
use crate::run::RunState;

/// A branch that has just reached a node, and the branches that begin there if the node is a fork.
pub(super) struct Entered {
    pub state: BranchState,
    pub branches: Vec<NewBranch>,
}

/// Reaches `node` with the result at `input`. Forks that stand first in their branch are opened too, in one go.
pub(super) fn enter(flow: &Flow, node: &Node, input: Path, now: Millis) -> Entered {
    let state = arrive_on(node, input.clone(), now);
    let mut branches = Vec::new();
    let mut forks: Vec<&Fork> = fork_of(node).into_iter().collect();
    while let Some(fork) = forks.pop() {
        for branch in &fork.branches {
            let first = flow.node(branch.first);
            branches.push(NewBranch { scope: branch.scope.clone(), state: arrive_on(first, input.clone(), now) });
            forks.extend(fork_of(first));
        }
    }
    Entered { state, branches }
}

/// Goes on after the result of `node` is recorded.
pub(super) fn advance(flow: &Flow, node: &Node, now: Millis) -> Change {
    if let Some(next) = node.next {
        let Entered { state, branches } = enter(flow, flow.node(next), node.path.clone(), now);
        return if branches.is_empty() { Change::Move(state) } else { Change::Fork { joining: state, branches } };
    }
    match node.fork {
        None => Change::End(RunState::Completed { output: node.path.clone() }),
        Some(fork) => {
            let fork = flow.node(fork);
            Change::Arrive { at: fork.scope.clone(), last: ready(fork, None) }
        }
    }
}

fn arrive_on(node: &Node, input: Path, now: Millis) -> BranchState {
    let parked = |phase| BranchState {
        node: node.path.clone(),
        phase,
        input: Some(input.clone()),
        failures: 0,
        timeout_ms: None,
    };
    match &node.kind {
        NodeKind::Step(_) => ready(node, Some(input)),
        NodeKind::Delay(Delay::For(delay_ms)) => parked(Phase::Sleeping { wake_at: now.plus(*delay_ms) }),
        NodeKind::Delay(Delay::Until(at)) => parked(Phase::Sleeping { wake_at: Millis(*at) }),
        NodeKind::Signal(signal) => parked(Phase::Awaiting {
            signal: signal.signal.clone(),
            timeout_at: signal.timeout_ms.map(|timeout_ms| now.plus(timeout_ms)),
        }),
        NodeKind::Fork(fork) => parked(Phase::Joining { missing: fork.branches.len() as u32 }),
    }
}

/// Due at once on a node that runs a function, or on a fork whose branches have all arrived.
fn ready(node: &Node, input: Option<Path>) -> BranchState {
    let timeout_ms = node.step().and_then(|step| step.timeout_ms);
    BranchState { node: node.path.clone(), phase: Phase::Ready, input, failures: 0, timeout_ms }
}

fn fork_of(node: &Node) -> Option<&Fork> {
    match &node.kind {
        NodeKind::Fork(fork) => Some(fork),
        _ => None,
    }
}
