use crate::{flow, fork, problems, read, step};
use pawl_core::flow::{DEPTH_MAX, DURATION_MS_MAX, NODE_COUNT_MAX, PATH_BYTES_MAX};
use serde_json::{Value, json};

fn with(mut node: Value, field: &str, value: Value) -> Value {
    node[field] = value;
    node
}

#[test]
fn durations_have_bounds_and_the_bounds_themselves_are_allowed() {
    let step = step("", "s");
    let delay = json!({ "scope": "", "name": "d", "kind": "delay" });
    let signal = json!({ "scope": "", "name": "w", "kind": "signal", "signal": "ok" });
    let cases = [
        (&step, "timeoutMs", 1, "timeout"),
        (&delay, "forMs", 0, "delay"),
        (&delay, "until", i64::MIN, "until"),
        (&signal, "timeoutMs", 0, "timeout"),
    ];
    for (node, field, least, what) in cases {
        for allowed in [least, DURATION_MS_MAX] {
            flow(json!([with(node.clone(), field, json!(allowed))])).build().expect(field);
        }
        for refused in [least.checked_sub(1), Some(DURATION_MS_MAX + 1)].into_iter().flatten() {
            let found = problems(&flow(json!([with(node.clone(), field, json!(refused))])));
            assert!(found.len() == 1 && found[0].contains(&format!("{what} is {refused} ms")), "{found:?}");
        }
    }
}

#[test]
fn a_runs_deadline_is_a_duration_too() {
    let deadline = |ms: i64| read(json!({ "name": "f", "deadlineMs": ms, "nodes": [step("", "s")] })).unwrap();
    deadline(1).build().unwrap();
    assert_eq!(problems(&deadline(0)), [format!("deadline is 0 ms; it may be from 1 to {DURATION_MS_MAX} ms")]);
}

#[test]
fn a_flow_has_a_largest_number_of_nodes() {
    let nodes = |count: usize| -> Vec<Value> { (0..count).map(|at| step("", &format!("s{at}"))).collect() };
    flow(json!(nodes(NODE_COUNT_MAX))).build().unwrap();
    let found = problems(&flow(json!(nodes(NODE_COUNT_MAX + 1))));
    assert_eq!(found, ["the flow has 100001 nodes; at most 100000 are allowed"]);
}

/// Forks nested `depth` deep with a step at the bottom; every branch has this name.
fn nested(depth: usize, branch: &str) -> Value {
    let mut nodes = Vec::new();
    let mut scope = String::new();
    for _ in 0..depth {
        nodes.push(fork(&scope, "f", &[branch]));
        scope = if scope.is_empty() { branch.into() } else { format!("{scope}/{branch}") };
    }
    nodes.push(step(&scope, "s"));
    json!(nodes)
}

#[test]
fn forks_have_a_largest_depth() {
    flow(nested(DEPTH_MAX, "b")).build().unwrap();
    let found = problems(&flow(nested(DEPTH_MAX + 1, "b")));
    // The fork at the limit could only have branches beyond it, so the one problem is the node inside.
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("the path is 2003 bytes long"), "{found:?}");
    assert!(found[0].contains("1000 forks deep"), "{found:?}");
}

#[test]
fn a_path_has_a_largest_length_and_is_shown_shortened() {
    let branch = "x".repeat(200);
    flow(nested(40, &branch)).build().unwrap();
    let found = problems(&flow(nested(41, &branch)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(&format!("it may be at most {PATH_BYTES_MAX} bytes")), "{found:?}");
    assert!(found.iter().all(|problem| problem.len() < 1_000), "{found:?}");
}
