//! The graph that a definition becomes.

use crate::{flow, fork, step};
use pawl_core::flow::{Delay, NodeKind, OnTimeout};
use pawl_core::{Flow, Path};
use serde_json::json;

fn node<'a>(flow: &'a Flow, path: &str) -> &'a pawl_core::Node {
    flow.find(&Path::from(path)).unwrap_or_else(|| panic!("no node {path}"))
}

#[test]
fn neighbours_are_found_in_whatever_order_the_scopes_are_listed() {
    let flow = flow(json!([
        fork("", "f", &["x", "y"]),
        step("", "after"),
        fork("y", "g", &["z"]),
        step("x", "one"),
        step("y/z", "deep"),
        step("x", "two"),
    ]))
    .build()
    .unwrap();
    assert_eq!(flow.first().path.as_str(), "f");
    assert_eq!(node(&flow, "f").next, Some(node(&flow, "after").index));
    assert_eq!(node(&flow, "x/one").next, Some(node(&flow, "x/two").index));
    assert_eq!(node(&flow, "x/two").next, None);
    assert_eq!(node(&flow, "x/two").fork, Some(node(&flow, "f").index));
    assert_eq!(node(&flow, "y/z/deep").fork, Some(node(&flow, "y/g").index));
    assert_eq!((node(&flow, "after").next, node(&flow, "after").fork), (None, None));
    let NodeKind::Fork(forked) = &node(&flow, "f").kind else { panic!("f is a fork") };
    let ends: Vec<(&str, &str, &str)> = forked
        .branches
        .iter()
        .map(|b| (b.scope.as_str(), flow.node(b.first).path.as_str(), flow.node(b.last).path.as_str()))
        .collect();
    assert_eq!(ends, [("x", "x/one", "x/two"), ("y", "y/g", "y/g")]);
}

#[test]
fn a_path_is_found_in_every_chain_and_a_bare_name_only_on_the_main_one() {
    let flow = flow(json!([fork("", "f", &["x"]), step("x", "s")])).build().unwrap();
    assert!(flow.find(&"x/s".into()).is_some());
    assert!(flow.find(&"s".into()).is_none());
    assert!(flow.find(&Path::run_input()).is_none());
}

#[test]
fn only_steps_and_forks_with_a_join_run_a_function() {
    let joined = json!({ "scope": "", "name": "j", "kind": "fork", "branches": ["y"], "join": true, "timeoutMs": 3 });
    let flow = flow(json!([
        fork("", "f", &["x"]),
        step("x", "s"),
        joined,
        step("y", "s"),
        { "scope": "", "name": "d", "kind": "delay", "until": -1 },
        { "scope": "", "name": "w", "kind": "signal", "signal": "ok", "timeoutMs": 1, "continueOnTimeout": true },
    ]))
    .build()
    .unwrap();
    let running: Vec<&str> =
        flow.nodes.iter().filter(|node| node.step().is_some()).map(|node| node.path.as_str()).collect();
    assert_eq!(running, ["x/s", "j", "y/s"]);
    assert_eq!(node(&flow, "j").step().unwrap().timeout_ms, Some(3));
    assert_eq!(node(&flow, "d").kind, NodeKind::Delay(Delay::Until(-1)));
    assert!(matches!(&node(&flow, "w").kind, NodeKind::Signal(signal) if signal.on_timeout == OnTimeout::Continue));
}
