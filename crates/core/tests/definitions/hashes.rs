//! What the structural hash is made of. Its exact values are pinned by the golden files.

use crate::{flow, fork, read, step};
use pawl_core::FlowHash;
use serde_json::{Value, json};
use std::collections::HashMap;

fn whole(name: &str) -> Value {
    json!({
        "name": name,
        "nodes": [
            step("", "charge"),
            { "scope": "", "name": "f", "kind": "fork", "branches": ["x", "y"], "join": true },
            step("x", "s"),
            { "scope": "y", "name": "d", "kind": "delay", "forMs": 5 },
            { "scope": "", "name": "w", "kind": "signal", "signal": "ok" },
        ],
    })
}

fn hash(definition: &Value) -> FlowHash {
    read(definition.clone()).unwrap().build().unwrap_or_else(|problems| panic!("{problems:?}")).hash
}

#[test]
fn tuning_does_not_change_the_hash() {
    let before = whole("checkout");
    let mut tuned = before.clone();
    tuned["deadlineMs"] = json!(1_000);
    for node in [0, 2] {
        tuned["nodes"][node]["retry"] = json!({ "maxAttempts": 9, "backoffMs": 1, "factor": 3, "jitter": false });
        tuned["nodes"][node]["timeoutMs"] = json!(77);
    }
    tuned["nodes"][1]["timeoutMs"] = json!(5);
    tuned["nodes"][3]["forMs"] = json!(9_000);
    tuned["nodes"][4]["timeoutMs"] = json!(4);
    tuned["nodes"][4]["continueOnTimeout"] = json!(true);
    assert_eq!(hash(&tuned), hash(&before));
    tuned["nodes"][3].as_object_mut().unwrap().remove("forMs");
    tuned["nodes"][3]["until"] = json!(1);
    assert_eq!(hash(&tuned), hash(&before));
}

#[test]
fn every_change_of_name_or_shape_changes_the_hash() {
    let before = whole("checkout");
    let with = |change: fn(&mut Value)| {
        let mut after = before.clone();
        change(&mut after);
        after
    };
    let changed = [
        ("the flow's name", whole("checkout2")),
        ("a node's name", with(|flow| flow["nodes"][0]["name"] = json!("pay"))),
        ("a node's kind", with(|flow| flow["nodes"][3] = step("y", "d"))),
        ("a signal's name", with(|flow| flow["nodes"][4]["signal"] = json!("go"))),
        ("a fork's join", with(|flow| flow["nodes"][1]["join"] = json!(false))),
        ("the order of branches", with(|flow| flow["nodes"][1]["branches"] = json!(["y", "x"]))),
        (
            "the branch a node is in",
            with(|flow| {
                flow["nodes"][1]["branches"] = json!(["x", "z"]);
                flow["nodes"][3]["scope"] = json!("z");
            }),
        ),
        ("the order of nodes", with(|flow| flow["nodes"].as_array_mut().unwrap().swap(0, 4))),
        ("one node more", with(|flow| flow["nodes"].as_array_mut().unwrap().push(step("", "more")))),
        ("one node less", with(|flow| drop(flow["nodes"].as_array_mut().unwrap().pop()))),
    ];
    let mut seen: HashMap<FlowHash, &str> = HashMap::from([(hash(&before), "the flow itself")]);
    for (what, after) in changed {
        if let Some(other) = seen.insert(hash(&after), what) {
            panic!("{what} and {other} have the same hash");
        }
    }
}

#[test]
fn texts_that_stand_side_by_side_do_not_run_into_each_other() {
    let names = |a: &str, b: &str| flow(json!([step("", a), step("", b)])).build().unwrap().hash;
    assert_ne!(names("ab", "c"), names("a", "bc"));
    let branches = |a: &str, b: &str| {
        let nodes = json!([fork("", "f", &[a, b]), step(a, "s"), step(b, "s")]);
        flow(nodes).build().unwrap().hash
    };
    assert_ne!(branches("ab", "c"), branches("a", "bc"));
}

#[test]
fn a_hash_is_32_hexadecimal_digits() {
    let hash = hash(&whole("checkout"));
    assert!(hash.as_str().len() == 32 && hash.as_str().chars().all(|c| "0123456789abcdef".contains(c)), "{hash}");
}
