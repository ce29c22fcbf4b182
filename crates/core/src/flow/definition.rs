//! The definition of a flow as data: what the builder writes, what a store keeps, what [`Definition::build`] checks.
//!
//! It is a flat list in declaration order. A node names the chain it stands in (`scope`); the nodes of one scope, in
//! the order of the list, are that chain. A node of a branch comes after the fork that opens the branch.

use super::validate::{Problem, validate};
use super::{Delay, Flow, Fork, ForkBranch, Node, NodeIndex, NodeKind, OnTimeout, Signal, Step};
use crate::path::{Path, Scope};
use crate::retry::RetryPolicy;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashMap;

/// A flow as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    /// The flow's name.
    pub name: String,
    /// The longest a run may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<i64>,
    /// The nodes in declaration order.
    pub nodes: Vec<NodeDefinition>,
}

/// A node as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeDefinition {
    /// The chain it stands in: empty for the main chain, `ship` or `ship/eu` for branches.
    pub scope: String,
    /// Its name, unique in its scope.
    pub name: String,
    /// What it does.
    #[serde(flatten)]
    pub shape: NodeShape,
}

/// What a node does, as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum NodeShape {
    /// A step.
    Step {
        /// How failed attempts are repeated.
        #[serde(default)]
        retry: RetryPolicy,
        /// The longest one attempt may take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<i64>,
    },
    /// A delay: exactly one of the two is set.
    Delay {
        /// For how long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        for_ms: Option<i64>,
        /// Until when, in milliseconds since 1970.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<i64>,
    },
    /// A signal.
    Signal {
        /// The name of the message.
        signal: String,
        /// How long it waits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<i64>,
        /// Whether the run goes on without a message; otherwise it fails.
        #[serde(default)]
        continue_on_timeout: bool,
    },
    /// A fork.
    Fork {
        /// The names of its branches in declaration order.
        branches: Vec<String>,
        /// Whether a user function joins the outputs.
        #[serde(default)]
        join: bool,
        /// How failed attempts of the join function are repeated.
        #[serde(default)]
        retry: RetryPolicy,
        /// The longest one attempt of the join function may take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<i64>,
    },
}

impl Definition {
    /// Checks everything and builds the graph.
    ///
    /// # Errors
    /// All problems found, each with the path it was found at.
    pub fn build(&self) -> Result<Flow, Vec<Problem>> {
        let problems = validate(self);
        if problems.is_empty() { Ok(link(self)) } else { Err(problems) }
    }
}

/// Links a definition that was found valid.
fn link(definition: &Definition) -> Flow {
    let mut chains: HashMap<&str, Vec<NodeIndex>> = HashMap::new();
    for (at, node) in definition.nodes.iter().enumerate() {
        chains.entry(&node.scope).or_default().push(NodeIndex(at));
    }

    let mut nodes: Vec<Node> = Vec::with_capacity(definition.nodes.len());
    let mut fork_of_scope: HashMap<Scope, NodeIndex> = HashMap::new();
    let mut place_in_chain: HashMap<&str, usize> = HashMap::new();
    for (at, node) in definition.nodes.iter().enumerate() {
        let (index, scope) = (NodeIndex(at), Scope::from(node.scope.as_str()));
        let kind = kind(&node.shape, &scope, &chains);
        if let NodeKind::Fork(fork) = &kind {
            fork_of_scope.extend(fork.branches.iter().map(|branch| (branch.scope.clone(), index)));
        }
        let place = place_in_chain.entry(&node.scope).or_default();
        *place += 1;
        nodes.push(Node {
            index,
            path: scope.node(&node.name),
            name: node.name.as_str().into(),
            next: chains[node.scope.as_str()].get(*place).copied(),
            fork: fork_of_scope.get(&scope).copied(),
            scope,
            kind,
        });
    }
    let by_path = nodes.iter().map(|node| (node.path.clone(), node.index)).collect();
    let hash = super::hash::hash(definition);
    Flow { name: definition.name.as_str().into(), hash, nodes, deadline_ms: definition.deadline_ms, by_path }
}

fn kind(shape: &NodeShape, scope: &Scope, chains: &HashMap<&str, Vec<NodeIndex>>) -> NodeKind {
    match shape {
        NodeShape::Step { retry, timeout_ms } => NodeKind::Step(Step { retry: retry.clone(), timeout_ms: *timeout_ms }),
        NodeShape::Delay { for_ms, until } => NodeKind::Delay(match until {
            Some(at) => Delay::Until(*at),
            None => Delay::For(for_ms.unwrap_or_default()),
        }),
        NodeShape::Signal { signal, timeout_ms, continue_on_timeout } => NodeKind::Signal(Signal {
            signal: signal.as_str().into(),
            timeout_ms: *timeout_ms,
            on_timeout: if *continue_on_timeout { OnTimeout::Continue } else { OnTimeout::Fail },
        }),
        NodeShape::Fork { branches, join, retry, timeout_ms } => NodeKind::Fork(Fork {
            branches: branches.iter().map(|name| branch(name, scope, chains)).collect(),
            join: join.then(|| Step { retry: retry.clone(), timeout_ms: *timeout_ms }),
        }),
    }
}

fn branch(name: &str, scope: &Scope, chains: &HashMap<&str, Vec<NodeIndex>>) -> ForkBranch {
    let scope = scope.branch(name);
    let chain = &chains[scope.as_str()];
    let (first, last) = (chain[0], chain[chain.len() - 1]);
    ForkBranch { name: name.into(), scope, first, last }
}

impl NodeDefinition {
    /// The node's path.
    pub fn path(&self) -> Path {
        Scope::from(self.scope.as_str()).node(&self.name)
    }
}

/// Read by hand, because a flattened field accepts every key: here each kind accepts its own keys and no others, so a
/// misspelt `timeoutMs` is refused instead of ignored.
impl<'de> Deserialize<'de> for NodeDefinition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            scope: String,
            name: String,
            #[serde(flatten)]
            shape: serde_json::Map<String, serde_json::Value>,
        }
        let Parts { scope, name, shape } = Parts::deserialize(deserializer)?;
        match NodeShape::deserialize(serde_json::Value::Object(shape)) {
            Ok(shape) => Ok(NodeDefinition { scope, name, shape }),
            Err(problem) => Err(D::Error::custom(format!("the node {name:?} in scope {scope:?}: {problem}"))),
        }
    }
}
