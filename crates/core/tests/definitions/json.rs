use crate::{flow, read};
use pawl_core::RetryPolicy;
use pawl_core::flow::NodeShape;
use serde_json::json;

#[test]
fn every_kind_is_written_as_it_was_read() {
    let retry = json!({ "maxAttempts": 3, "backoffMs": 10, "factor": 1.5, "maxBackoffMs": 99, "jitter": false });
    let written = json!({
        "name": "checkout",
        "deadlineMs": 60_000,
        "nodes": [
            { "scope": "", "name": "charge", "kind": "step", "retry": retry, "timeoutMs": 500 },
            { "scope": "", "name": "nap", "kind": "delay", "forMs": 5 },
            { "scope": "", "name": "noon", "kind": "delay", "until": 1_700_000_000_000_i64 },
            { "scope": "", "name": "ok", "kind": "signal", "signal": "approval", "timeoutMs": 7, "continueOnTimeout": true },
            { "scope": "", "name": "f", "kind": "fork", "branches": ["a"], "join": true, "retry": retry, "timeoutMs": 9 },
            { "scope": "a", "name": "s", "kind": "step", "retry": retry },
        ],
    });
    let definition = read(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(&definition).unwrap(), written);
    assert_eq!(definition.nodes[5].path().as_str(), "a/s");
}

#[test]
fn what_is_left_out_has_its_default() {
    let definition = flow(json!([
        { "scope": "", "name": "s", "kind": "step" },
        { "scope": "", "name": "r", "kind": "step", "retry": { "maxAttempts": 4 } },
    ]));
    assert_eq!(definition.deadline_ms, None);
    assert_eq!(definition.nodes[0].shape, NodeShape::Step { retry: RetryPolicy::default(), timeout_ms: None });
    let retry = RetryPolicy { max_attempts: 4, ..RetryPolicy::default() };
    assert_eq!(definition.nodes[1].shape, NodeShape::Step { retry, timeout_ms: None });
}

#[track_caller]
fn assert_refused(definition: serde_json::Value, told: &[&str]) {
    let problem = read(definition).expect_err("it is refused");
    for part in told {
        assert!(problem.contains(part), "{problem:?} does not say {part:?}");
    }
}

#[test]
fn a_misspelt_field_is_refused_by_name_in_every_kind() {
    let misspelt = [
        (json!({ "kind": "step", "timeout": 5 }), "timeout"),
        (json!({ "kind": "step", "signal": "ok" }), "signal"),
        (json!({ "kind": "delay", "forMS": 5 }), "forMS"),
        (json!({ "kind": "signal", "signal": "ok", "onTimeout": "continue" }), "onTimeout"),
        (json!({ "kind": "fork", "branches": ["a"], "joined": true }), "joined"),
    ];
    for (mut node, field) in misspelt {
        node["scope"] = json!("ship");
        node["name"] = json!("pack");
        assert_refused(json!({ "name": "f", "nodes": [node] }), &["pack", "ship", "unknown field", field]);
    }
}

#[test]
fn a_misspelt_field_of_a_policy_or_of_the_flow_is_refused() {
    let retry = json!({ "scope": "", "name": "s", "kind": "step", "retry": { "attempts": 2 } });
    assert_refused(json!({ "name": "f", "nodes": [retry] }), &["unknown field `attempts`", "maxAttempts"]);
    assert_refused(json!({ "name": "f", "nodes": [], "deadline": 5 }), &["unknown field `deadline`", "deadlineMs"]);
}

#[test]
fn a_node_without_kind_scope_or_name_is_refused() {
    assert_refused(json!({ "name": "f", "nodes": [{ "scope": "", "name": "s" }] }), &["kind"]);
    assert_refused(json!({ "name": "f", "nodes": [{ "name": "s", "kind": "step" }] }), &["scope"]);
    assert_refused(json!({ "name": "f", "nodes": [{ "scope": "", "kind": "step" }] }), &["name"]);
    let unknown = json!({ "scope": "", "name": "s", "kind": "loop" });
    assert_refused(json!({ "name": "f", "nodes": [unknown] }), &["unknown variant `loop`", "\"s\""]);
}

#[test]
fn a_number_that_is_not_a_whole_number_of_milliseconds_is_refused() {
    for timeout in [json!(1.5), json!("30s"), json!(1e300)] {
        let node = json!({ "scope": "", "name": "s", "kind": "step", "timeoutMs": timeout });
        assert_refused(json!({ "name": "f", "nodes": [node] }), &["\"s\""]);
    }
}
