//! A node's identity is its path in the tree (`ship/pack`), never its bare name.

use crate::ids::name;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

name!(
    /// The path of a node: its scope and its name (`ship/pack`). The empty path stands for the run itself, so the
    /// result at the empty path is the run's input.
    Path
);
name!(
    /// The chain a branch walks along: empty for the run's main chain, `ship` for the branch `ship` of a fork on it,
    /// `ship/eu` for a branch of a fork inside that one. At most one open branch stands in a scope of a run.
    Scope
);

impl Path {
    /// The path under which a run's input is stored.
    pub fn run_input() -> Path {
        Path::from("")
    }

    /// Whether this is the path of the run's input.
    pub fn is_run_input(&self) -> bool {
        self.0.is_empty()
    }
}

impl Scope {
    /// The main chain of a run.
    pub fn root() -> Scope {
        Scope::from("")
    }

    /// Whether this is the main chain of a run.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path of the node `name` in this scope.
    pub fn node(&self, name: &str) -> Path {
        Path(self.join(name))
    }

    /// The scope of the branch `name` of a fork in this scope.
    pub fn branch(&self, name: &str) -> Scope {
        Scope(self.join(name))
    }

    fn join(&self, name: &str) -> Arc<str> {
        if self.is_root() { name.into() } else { format!("{}/{name}", self.0).into() }
    }
}
