use crate::run::{Run, definition, step, thrown};

#[test]
fn a_single_step_gets_the_runs_input_and_its_result_is_the_output() {
    let mut run = Run::of([step("only")]);
    run.expect(["run only#1"]);
    assert_eq!(run.input("only"), "\"in\"");
    run.succeed("only");
    run.expect_end("completed only");
    assert_eq!(run.result("only"), "\"only\"");
    assert_eq!(run.result(""), "\"in\"");
}

#[test]
fn each_step_gets_the_result_of_the_one_before() {
    let mut run = Run::of([step("a"), step("b"), step("c")]);
    run.succeed("a");
    run.expect(["run b#1"]);
    assert_eq!(run.input("b"), "\"a\"");
    run.succeed("b");
    assert_eq!(run.input("c"), "\"b\"");
    run.succeed("c");
    run.expect_end("completed c");
}

#[test]
fn a_failing_step_in_the_middle_ends_the_run_and_nothing_later_starts() {
    let mut run = Run::of([step("a"), step("b"), step("c")]);
    run.succeed("a");
    run.fail("b", thrown("no stock"));
    run.expect_end("failed PAWL_STEP_FAILED at b#1: no stock");
    assert!(!run.table.results.contains_key(&"b".into()));
}

#[test]
fn the_run_completes_in_the_decision_of_its_last_node() {
    let mut run = Run::of([step("a"), step("b")]);
    run.succeed("a");
    run.begin("b");
    run.expect(["running b#1"]);
    run.succeed("b");
    run.expect_end("completed b");
}

#[test]
fn a_run_that_takes_longer_than_its_deadline_fails_whatever_it_is_doing() {
    let mut flow = definition([step("a"), step("b")]);
    flow.deadline_ms = Some(5_000);
    let mut run = Run::of_flow(flow.build().unwrap());
    run.expect(["run a#1", "deadline 5000"]);
    run.succeed("a");
    run.begin("b");
    run.advance(4_999);
    run.expect(["running b#1", "deadline 5000"]);
    run.advance(1);
    run.expect_end("failed PAWL_RUN_DEADLINE: The run did not end before its deadline");
}

#[test]
fn a_run_that_ends_in_time_takes_its_deadline_along() {
    let mut flow = definition([step("a")]);
    flow.deadline_ms = Some(5_000);
    let mut run = Run::of_flow(flow.build().unwrap());
    run.succeed("a");
    run.expect_end("completed a");
}
