//! Everything that can be wrong with a definition, found in one pass and reported together.

use super::definition::{Definition, NodeShape};
use crate::retry::RetryPolicy;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The longest name of a flow, node, branch or signal, in characters. Names are part of every key in the store.
pub const NAME_CHARS_MAX: usize = 200;
/// The most nodes one flow may have. Above it a definition is data, and belongs into the input.
pub const NODE_COUNT_MAX: usize = 100_000;
/// The deepest nesting of forks: far beyond what a person writes, and small enough to keep paths short.
pub const DEPTH_MAX: usize = 1_000;
/// The longest path of a node, in bytes: a path is a key in the store.
pub const PATH_BYTES_MAX: usize = 8_192;
/// The longest duration: ten thousand years, in milliseconds. Sums with a clock stay far from overflow.
pub const DURATION_MS_MAX: i64 = 315_576_000_000_000;

/// Something wrong with a definition, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path of the node; empty for the flow itself.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name that is refused for its control characters must not bring them into a log.
        for c in self.path.chars() {
            if c.is_control() { write!(f, "{}", c.escape_debug())? } else { write!(f, "{c}")? }
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// All problems, in the order of the nodes.
pub(super) fn validate(definition: &Definition) -> Vec<Problem> {
    let mut check = Check { problems: Vec::new() };
    check.name("", "flow name", &definition.name);
    check.duration("", "deadline", definition.deadline_ms, 1);
    if definition.nodes.is_empty() {
        check.problem("", "the flow has no nodes; add at least one step");
    }
    if definition.nodes.len() > NODE_COUNT_MAX {
        check.problem(
            "",
            format!("the flow has {} nodes; at most {NODE_COUNT_MAX} are allowed", definition.nodes.len()),
        );
        return check.problems;
    }
    check.nodes(definition);
    check.problems
}

struct Check {
    problems: Vec<Problem>,
}

impl Check {
    fn problem(&mut self, path: &str, message: impl Into<String>) {
        self.problems.push(Problem { path: path.into(), message: message.into() });
    }

    fn nodes(&mut self, definition: &Definition) {
        // Scopes that a fork has opened, and whether a node stands in them.
        let mut filled: HashMap<String, bool> = HashMap::from([(String::new(), true)]);
        let mut taken: HashSet<String> = HashSet::new();
        for node in &definition.nodes {
            let path = join(&node.scope, &node.name);
            let opened = filled.get_mut(&node.scope).map(|filled| *filled = true).is_some();
            if path.len() > PATH_BYTES_MAX || path.matches('/').count() > DEPTH_MAX {
                let shown: String = path.chars().take(NAME_CHARS_MAX).collect();
                let limits = format!("at most {PATH_BYTES_MAX} bytes and {DEPTH_MAX} forks deep");
                self.problem(
                    &format!("{shown}…"),
                    format!("the path is {} bytes long; it may be {limits}", path.len()),
                );
                continue;
            }
            self.name(&path, "node name", &node.name);
            if !opened {
                self.problem(&path, format!("no fork before it opens the branch \"{}\"", node.scope));
            }
            if !taken.insert(path.clone()) {
                self.problem(&path, format!("the name \"{}\" is used twice in its scope", node.name));
            }
            self.shape(&path, &node.shape);
            if let NodeShape::Fork { branches, .. } = &node.shape {
                for branch in branches {
                    let scope = join(&node.scope, branch);
                    self.name(&scope, "branch name", branch);
                    // A branch and a node of one scope would share a path, and with it the place of their results.
                    if !taken.insert(scope.clone()) {
                        self.problem(&scope, format!("the name \"{branch}\" is used twice in its scope"));
                    }
                    filled.entry(scope).or_insert(false);
                }
            }
        }
        let mut empty: Vec<&String> = filled.iter().filter(|(_, filled)| !**filled).map(|(scope, _)| scope).collect();
        empty.sort();
        for scope in empty {
            self.problem(scope, "the branch has no nodes; give it at least one");
        }
    }

    fn shape(&mut self, path: &str, shape: &NodeShape) {
        match shape {
            NodeShape::Step { retry, timeout_ms } => self.step(path, retry, *timeout_ms),
            NodeShape::Delay { for_ms, until } => {
                if for_ms.is_some() == until.is_some() {
                    self.problem(path, "a delay takes either a duration or a moment (until)");
                }
                self.duration(path, "delay", *for_ms, 0);
                self.duration(path, "until", *until, i64::MIN);
            }
            NodeShape::Signal { signal, timeout_ms, continue_on_timeout } => {
                self.name(path, "signal name", signal);
                self.duration(path, "timeout", *timeout_ms, 0);
                if *continue_on_timeout && timeout_ms.is_none() {
                    self.problem(path, "onTimeout has no effect without a timeout");
                }
            }
            NodeShape::Fork { branches, join, retry, timeout_ms } => {
                if branches.is_empty() {
                    self.problem(path, "the fork has no branches; give it at least one");
                }
                if !join && (timeout_ms.is_some() || *retry != RetryPolicy::default()) {
                    self.problem(path, "retry and timeout are those of the join function, and this fork has none");
                }
                self.step(path, retry, *timeout_ms);
            }
        }
    }

    fn step(&mut self, path: &str, retry: &RetryPolicy, timeout_ms: Option<i64>) {
        self.duration(path, "timeout", timeout_ms, 1);
        self.duration(path, "retry.backoff", Some(retry.backoff_ms), 0);
        self.duration(path, "retry.maxBackoff", Some(retry.max_backoff_ms), 0);
        if retry.max_attempts < 1 {
            self.problem(path, "retry.maxAttempts is 0; it counts the first attempt too, so it is at least 1");
        }
        if !retry.factor.is_finite() || retry.factor < 1.0 {
            self.problem(path, format!("retry.factor is {}; it is a number of at least 1", retry.factor));
        }
    }

    fn duration(&mut self, path: &str, what: &str, duration_ms: Option<i64>, min_ms: i64) {
        let Some(duration_ms) = duration_ms else { return };
        if !(min_ms..=DURATION_MS_MAX).contains(&duration_ms) {
            self.problem(path, format!("{what} is {duration_ms} ms; it may be from {min_ms} to {DURATION_MS_MAX} ms"));
        }
    }

    fn name(&mut self, path: &str, what: &str, name: &str) {
        let shown: String = name.chars().take(NAME_CHARS_MAX).collect();
        let problem = if name.trim() != name || name.is_empty() {
            "is empty, or begins or ends with a space".to_owned()
        } else if name.chars().count() > NAME_CHARS_MAX {
            format!("has {} characters; at most {NAME_CHARS_MAX} are allowed", name.chars().count())
        } else if name.starts_with('$') {
            "begins with \"$\", which is reserved".to_owned()
        } else if name.chars().any(|c| c.is_control() || "/[]".contains(c)) {
            "contains a control character or one of / [ ]".to_owned()
        } else {
            return;
        };
        self.problem(path, format!("the {what} \"{}\" {problem}", shown.escape_debug()));
    }
}

fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") }
}
