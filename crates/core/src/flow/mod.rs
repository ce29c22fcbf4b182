//! The immutable graph of a flow. The nodes lie in one list in declaration order and point at each other by index, so
//! no walk over a definition is ever recursive, however deeply its forks are nested.

mod definition;
mod hash;
mod validate;

pub use definition::{Definition, NodeDefinition, NodeShape};
pub use validate::{DEPTH_MAX, DURATION_MS_MAX, NAME_CHARS_MAX, NODE_COUNT_MAX, PATH_BYTES_MAX, Problem};

use crate::ids::FlowHash;
use crate::path::{Path, Scope};
use crate::retry::RetryPolicy;
use std::collections::HashMap;
use std::sync::Arc;

/// The place of a node in [`Flow::nodes`]; JavaScript finds the node's function under the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub usize);

/// A validated flow. Built by [`Definition::build`]; never changes.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The flow's name.
    pub name: Arc<str>,
    /// Over name and shape, not over retry, timeout or delay tuning.
    pub hash: FlowHash,
    /// All nodes in declaration order; the first is where a run begins.
    pub nodes: Vec<Node>,
    /// The longest a run may take from its start, in milliseconds.
    pub deadline_ms: Option<i64>,
    by_path: HashMap<Path, NodeIndex>,
}

/// One node and its neighbours.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its own number.
    pub index: NodeIndex,
    /// Identity within the flow.
    pub path: Path,
    /// The chain it stands in.
    pub scope: Scope,
    /// The last part of its path.
    pub name: Arc<str>,
    /// What it does.
    pub kind: NodeKind,
    /// The node after it in its chain.
    pub next: Option<NodeIndex>,
    /// The fork whose branch this chain is; `None` on the main chain.
    pub fork: Option<NodeIndex>,
}

/// What a node does.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// Runs a user function.
    Step(Step),
    /// Parks until a moment has come.
    Delay(Delay),
    /// Parks until a message has come.
    Signal(Signal),
    /// Walks several chains at once and joins them.
    Fork(Fork),
}

/// How a user function is run.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Step {
    /// How failed attempts are repeated.
    pub retry: RetryPolicy,
    /// The longest one attempt may take, in milliseconds.
    pub timeout_ms: Option<i64>,
}

/// How long a delay parks.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// For this many milliseconds from the moment the node is reached.
    For(i64),
    /// Until this moment; a moment in the past means now.
    Until(i64),
}

/// Which message a signal node waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// The name senders use.
    pub signal: Arc<str>,
    /// How long it waits, in milliseconds; `None` waits for ever.
    pub timeout_ms: Option<i64>,
    /// What happens when the time is over.
    pub on_timeout: OnTimeout,
}

/// What a signal node does when nothing came in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnTimeout {
    /// The run fails with `PAWL_SIGNAL_TIMEOUT`.
    #[default]
    Fail,
    /// The run goes on; the node's output is `{"timedOut":true}`.
    Continue,
}

/// Chains walked at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    /// The branches in declaration order; never empty.
    pub branches: Vec<ForkBranch>,
    /// The user function that gets all outputs by branch name; without one, the object of outputs is the output.
    pub join: Option<Step>,
}

/// One branch of a fork.
#[derive(Clone, Debug, PartialEq)]
pub struct ForkBranch {
    /// Its key in the joined object.
    pub name: Arc<str>,
    /// Its chain.
    pub scope: Scope,
    /// Where it begins.
    pub first: NodeIndex,
    /// The node whose output is the branch's output.
    pub last: NodeIndex,
}

impl Flow {
    /// The node with this number.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0]
    }

    /// Where a run begins.
    pub fn first(&self) -> &Node {
        &self.nodes[0]
    }

    /// The node at this path, in whatever chain it stands.
    pub fn find(&self, path: &Path) -> Option<&Node> {
        self.by_path.get(path).map(|index| self.node(*index))
    }
}

impl Node {
    /// The user function behind this node, if it runs one: a step, or the function of a join.
    pub fn step(&self) -> Option<&Step> {
        match &self.kind {
            NodeKind::Step(step) => Some(step),
            NodeKind::Fork(fork) => fork.join.as_ref(),
            NodeKind::Delay(_) | NodeKind::Signal(_) => None,
        }
    }
}
