//! Definitions as data: how they are read, what is refused, and what their hash is made of.

mod golden;
mod hashes;
mod json;
mod limits;
mod links;
mod names;
mod problems;

use pawl_core::flow::Definition;
use serde_json::{Value, json};

/// A definition with these nodes.
fn flow(nodes: Value) -> Definition {
    read(json!({ "name": "checkout", "nodes": nodes })).expect("the definition is readable")
}

fn read(definition: Value) -> Result<Definition, String> {
    serde_json::from_value(definition).map_err(|problem| problem.to_string())
}

/// The problems of a definition, as users see them.
fn problems(definition: &Definition) -> Vec<String> {
    match definition.build() {
        Ok(flow) => panic!("{} was accepted", flow.name),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

fn step(scope: &str, name: &str) -> Value {
    json!({ "scope": scope, "name": name, "kind": "step" })
}

fn fork(scope: &str, name: &str, branches: &[&str]) -> Value {
    json!({ "scope": scope, "name": name, "kind": "fork", "branches": branches })
}
