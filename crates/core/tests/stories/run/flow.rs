//! Flows in a few words: `[step("a"), fork("f", [("eu", vec![step("b")])]).join()]`.

use pawl_core::RetryPolicy;
use pawl_core::flow::{Definition, NodeDefinition, NodeShape};

/// A node and, where it is a fork, the chains of its branches.
#[derive(Clone, Debug)]
pub struct Part {
    name: String,
    shape: NodeShape,
    chains: Vec<Vec<Part>>,
}

pub fn step(name: &str) -> Part {
    part(name, NodeShape::Step { retry: RetryPolicy::default(), timeout_ms: None })
}

pub fn delay(name: &str, for_ms: i64) -> Part {
    part(name, NodeShape::Delay { for_ms: Some(for_ms), until: None })
}

pub fn delay_until(name: &str, until: i64) -> Part {
    part(name, NodeShape::Delay { for_ms: None, until: Some(until) })
}

/// A node that awaits the message of its own name.
pub fn signal(name: &str) -> Part {
    part(name, NodeShape::Signal { signal: name.into(), timeout_ms: None, continue_on_timeout: false })
}

pub fn fork<N: Into<String>>(name: &str, branches: impl IntoIterator<Item = (N, Vec<Part>)>) -> Part {
    let (branches, chains) = branches.into_iter().map(|(name, chain)| (name.into(), chain)).unzip();
    let shape = NodeShape::Fork { branches, join: false, retry: RetryPolicy::default(), timeout_ms: None };
    Part { chains, ..part(name, shape) }
}

fn part(name: &str, shape: NodeShape) -> Part {
    Part { name: name.into(), shape, chains: Vec::new() }
}

impl Part {
    /// A fork whose outputs go to a function.
    pub fn join(mut self) -> Part {
        match &mut self.shape {
            NodeShape::Fork { join, .. } => *join = true,
            other => panic!("only a fork joins, not {other:?}"),
        }
        self
    }

    /// Attempts in total, the wait before the second, doubled with each, without jitter.
    pub fn retry(self, max_attempts: u32, backoff_ms: i64) -> Part {
        self.retry_policy(RetryPolicy { max_attempts, backoff_ms, jitter: false, ..RetryPolicy::default() })
    }

    pub fn retry_policy(mut self, policy: RetryPolicy) -> Part {
        match &mut self.shape {
            NodeShape::Step { retry, .. } | NodeShape::Fork { retry, .. } => *retry = policy,
            other => panic!("only functions are tried again, not {other:?}"),
        }
        self
    }

    pub fn timeout(mut self, after_ms: i64) -> Part {
        match &mut self.shape {
            NodeShape::Step { timeout_ms, .. }
            | NodeShape::Signal { timeout_ms, .. }
            | NodeShape::Fork { timeout_ms, .. } => *timeout_ms = Some(after_ms),
            NodeShape::Delay { .. } => panic!("a delay has no timeout"),
        }
        self
    }

    pub fn or_go_on(mut self) -> Part {
        match &mut self.shape {
            NodeShape::Signal { continue_on_timeout, .. } => *continue_on_timeout = true,
            other => panic!("only a signal node goes on without an answer, not {other:?}"),
        }
        self
    }

    /// Another message than the one of the node's own name.
    pub fn awaiting(mut self, message: &str) -> Part {
        match &mut self.shape {
            NodeShape::Signal { signal, .. } => *signal = message.into(),
            other => panic!("only a signal node awaits, not {other:?}"),
        }
        self
    }
}

/// The flat list of a chain and all that is nested in it, forks before their branches.
pub fn definition(chain: impl IntoIterator<Item = Part>) -> Definition {
    let mut nodes = Vec::new();
    flatten("", chain.into_iter().collect(), &mut nodes);
    Definition { name: "story".into(), deadline_ms: None, nodes }
}

fn flatten(scope: &str, chain: Vec<Part>, nodes: &mut Vec<NodeDefinition>) {
    for Part { name, shape, chains } in chain {
        let branches = match &shape {
            NodeShape::Fork { branches, .. } => branches.clone(),
            _ => Vec::new(),
        };
        nodes.push(NodeDefinition { scope: scope.into(), name, shape });
        for (branch, chain) in branches.into_iter().zip(chains) {
            let scope = if scope.is_empty() { branch } else { format!("{scope}/{branch}") };
            flatten(&scope, chain, nodes);
        }
    }
}
