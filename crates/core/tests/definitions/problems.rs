use crate::{flow, fork, problems, read, step};
use serde_json::{Value, json};

#[track_caller]
fn assert_problem(nodes: Value, problem: &str) {
    assert_eq!(problems(&flow(nodes)), [problem]);
}

#[test]
fn a_flow_without_nodes() {
    assert_problem(json!([]), "the flow has no nodes; add at least one step");
}

#[test]
fn a_name_that_is_used_twice_in_its_scope() {
    assert_problem(json!([step("", "a"), step("", "a")]), "a: the name \"a\" is used twice in its scope");
}

#[test]
fn a_branch_with_the_name_of_a_node_beside_its_fork() {
    let nodes = json!([step("", "a"), fork("", "f", &["a"]), step("a", "s")]);
    assert_problem(nodes, "a: the name \"a\" is used twice in its scope");
}

#[test]
fn a_branch_with_the_name_of_a_branch_of_another_fork_in_the_same_scope() {
    let nodes = json!([fork("", "f", &["a"]), step("a", "s"), fork("", "g", &["a"])]);
    assert_problem(nodes, "a: the name \"a\" is used twice in its scope");
}

#[test]
fn the_same_name_in_two_scopes_is_no_problem() {
    flow(json!([fork("", "f", &["x", "y"]), step("x", "s"), step("y", "s"), step("", "s")])).build().unwrap();
}

#[test]
fn a_branch_without_nodes() {
    let nodes = json!([fork("", "f", &["x", "y"]), step("x", "s")]);
    assert_problem(nodes, "y: the branch has no nodes; give it at least one");
}

#[test]
fn a_fork_without_branches() {
    assert_problem(json!([fork("", "f", &[])]), "f: the fork has no branches; give it at least one");
}

#[test]
fn a_node_in_a_branch_that_no_fork_opens() {
    let nodes = json!([step("", "a"), step("ship", "pack")]);
    assert_problem(nodes, "ship/pack: no fork before it opens the branch \"ship\"");
}

#[test]
fn a_node_before_the_fork_that_opens_its_branch() {
    let nodes = json!([step("ship", "pack"), fork("", "f", &["ship"]), step("ship", "send")]);
    assert_problem(nodes, "ship/pack: no fork before it opens the branch \"ship\"");
}

#[test]
fn a_delay_with_two_ends_or_none() {
    for ends in [json!({}), json!({ "forMs": 5, "until": 7 })] {
        let mut node = json!({ "scope": "", "name": "d", "kind": "delay" });
        node.as_object_mut().unwrap().extend(ends.as_object().unwrap().clone());
        assert_problem(json!([node]), "d: a delay takes either a duration or a moment (until)");
    }
}

#[test]
fn a_signal_that_goes_on_after_a_timeout_it_does_not_have() {
    let node = json!({ "scope": "", "name": "w", "kind": "signal", "signal": "ok", "continueOnTimeout": true });
    assert_problem(json!([node]), "w: onTimeout has no effect without a timeout");
}

#[test]
fn a_policy_without_attempts_or_with_a_shrinking_wait() {
    let retry = |retry: Value| json!([{ "scope": "", "name": "s", "kind": "step", "retry": retry }]);
    assert_problem(
        retry(json!({ "maxAttempts": 0 })),
        "s: retry.maxAttempts is 0; it counts the first attempt too, so it is at least 1",
    );
    assert_problem(retry(json!({ "factor": 0.5 })), "s: retry.factor is 0.5; it is a number of at least 1");
    let found = problems(&flow(retry(json!({ "backoffMs": -1, "maxBackoffMs": -2 }))));
    assert!(found.len() == 2 && found[0].contains("retry.backoff is -1 ms"), "{found:?}");
    assert!(found[1].contains("retry.maxBackoff is -2 ms"), "{found:?}");
}

#[test]
fn a_factor_that_is_no_number() {
    for factor in [f64::NAN, f64::INFINITY] {
        let mut definition = flow(json!([step("", "s")]));
        let retry = pawl_core::RetryPolicy { factor, ..Default::default() };
        definition.nodes[0].shape = pawl_core::flow::NodeShape::Step { retry, timeout_ms: None };
        assert_eq!(problems(&definition).len(), 1, "{factor}");
    }
}

#[test]
fn retry_or_timeout_on_a_fork_that_has_no_join_function() {
    let expected = "f: retry and timeout are those of the join function, and this fork has none";
    for tuning in [json!({ "timeoutMs": 5 }), json!({ "retry": { "maxAttempts": 2 } })] {
        let mut node = fork("", "f", &["a"]);
        node.as_object_mut().unwrap().extend(tuning.as_object().unwrap().clone());
        assert_problem(json!([node, step("a", "s")]), expected);
    }
}

#[test]
fn all_problems_of_a_flow_are_told_at_once_in_the_order_of_its_nodes() {
    let definition = read(json!({
        "name": " checkout",
        "deadlineMs": 0,
        "nodes": [
            step("", "a"),
            step("", "a"),
            { "scope": "", "name": "f", "kind": "fork", "branches": ["x", "y", "x", "$z"], "join": true, "timeoutMs": 0 },
            { "scope": "x", "name": "d", "kind": "delay" },
            { "scope": "x", "name": "", "kind": "step" },
            { "scope": "nowhere", "name": "s", "kind": "step", "retry": { "maxAttempts": 0 } },
            { "scope": "$z", "name": "w", "kind": "signal", "signal": "a[0]", "timeoutMs": -1 },
        ],
    }))
    .unwrap();
    let found = problems(&definition);
    let paths: Vec<&str> = found.iter().map(|problem| problem.split(": ").next().unwrap()).collect();
    let expected = [
        "the flow name \" checkout\" is empty, or begins or ends with a space",
        "deadline is 0 ms; it may be from 1 to 315576000000000 ms",
        "a",
        "f",
        "x",
        "$z",
        "x/d",
        "x/",
        "nowhere/s",
        "nowhere/s",
        "$z/w",
        "$z/w",
        "y",
    ];
    assert_eq!(paths, expected, "{found:#?}");
}
