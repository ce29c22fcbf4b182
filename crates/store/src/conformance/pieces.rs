//! Small flows, written like the graphs they are.

use pawl_core::RetryPolicy;
use pawl_core::flow::{Definition, NodeDefinition, NodeShape};

/// A node, and the branches under it if it is a fork.
pub struct Piece {
    name: &'static str,
    shape: NodeShape,
    branches: Vec<(&'static str, Vec<Piece>)>,
}

pub fn step(name: &'static str) -> Piece {
    piece(name, NodeShape::Step { retry: RetryPolicy::default(), timeout_ms: None })
}

/// A step that is tried `max_attempts` times, `backoff_ms` apart.
pub fn retried(name: &'static str, max_attempts: u32, backoff_ms: i64) -> Piece {
    let retry = RetryPolicy { max_attempts, backoff_ms, factor: 1.0, jitter: false, ..RetryPolicy::default() };
    piece(name, NodeShape::Step { retry, timeout_ms: None })
}

/// A step whose attempts may take so long.
pub fn timed(name: &'static str, timeout_ms: i64) -> Piece {
    piece(name, NodeShape::Step { retry: RetryPolicy::default(), timeout_ms: Some(timeout_ms) })
}

pub fn delay(name: &'static str, for_ms: i64) -> Piece {
    piece(name, NodeShape::Delay { for_ms: Some(for_ms), until: None })
}

/// A delay that was over before anybody began.
pub fn until_long_ago() -> Piece {
    piece("past", NodeShape::Delay { for_ms: None, until: Some(0) })
}

/// A node that waits for the message of its own name, for ever.
pub fn signal(name: &'static str) -> Piece {
    piece(name, NodeShape::Signal { signal: name.into(), timeout_ms: None, continue_on_timeout: false })
}

/// A node that waits for a message and goes on without it after a while.
pub fn patient(name: &'static str, signal: &str, timeout_ms: i64) -> Piece {
    piece(name, NodeShape::Signal { signal: signal.into(), timeout_ms: Some(timeout_ms), continue_on_timeout: true })
}

/// A fork whose outputs go to a function.
pub fn joined<const N: usize>(name: &'static str, branches: [(&'static str, Vec<Piece>); N]) -> Piece {
    fork_of(name, true, branches.into())
}

/// A fork whose output is the object of its branches' outputs.
pub fn forked<const N: usize>(name: &'static str, branches: [(&'static str, Vec<Piece>); N]) -> Piece {
    fork_of(name, false, branches.into())
}

/// A joined fork of many branches with one step `work` each.
pub fn wide(name: &'static str, branches: &[&'static str]) -> Piece {
    fork_of(name, true, branches.iter().map(|branch| (*branch, vec![step("work")])).collect())
}

pub fn definition(name: &str, deadline_ms: Option<i64>, pieces: Vec<Piece>) -> Definition {
    let mut nodes = Vec::new();
    lay_out("", pieces, &mut nodes);
    Definition { name: name.into(), deadline_ms, nodes }
}

fn lay_out(scope: &str, pieces: Vec<Piece>, nodes: &mut Vec<NodeDefinition>) {
    for Piece { name, shape, branches } in pieces {
        nodes.push(NodeDefinition { scope: scope.into(), name: name.into(), shape });
        for (branch, pieces) in branches {
            let scope = if scope.is_empty() { branch.to_owned() } else { format!("{scope}/{branch}") };
            lay_out(&scope, pieces, nodes);
        }
    }
}

fn piece(name: &'static str, shape: NodeShape) -> Piece {
    Piece { name, shape, branches: Vec::new() }
}

fn fork_of(name: &'static str, join: bool, branches: Vec<(&'static str, Vec<Piece>)>) -> Piece {
    let names = branches.iter().map(|(branch, _)| (*branch).to_owned()).collect();
    let shape = NodeShape::Fork { branches: names, join, retry: RetryPolicy::default(), timeout_ms: None };
    Piece { name, shape, branches }
}
