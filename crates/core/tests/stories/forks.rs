use crate::run::{Part, Run, delay, fork, signal, step, thrown};

fn price() -> Part {
    fork("price", [("eu", vec![step("ask")]), ("us", vec![step("ask")])])
}

#[test]
fn every_branch_gets_the_input_of_the_fork() {
    let mut run = Run::of([step("a"), price()]);
    run.succeed("a");
    run.expect(["join price missing 2", "run eu/ask#1", "run us/ask#1"]);
    assert_eq!([run.input("eu/ask"), run.input("us/ask")], ["\"a\"", "\"a\""]);
}

#[test]
fn the_join_runs_when_the_last_branch_arrives_and_gets_all_outputs_by_name() {
    let mut run = Run::of([price().join(), step("sum")]);
    run.succeed("us/ask");
    run.expect(["join price missing 1", "run eu/ask#1"]);
    run.succeed("eu/ask");
    run.expect(["run price#1"]);
    let work = run.table.ask(&run.table.look(&"".into()));
    assert_eq!(format!("{work:?}"), format!("{:?}", joined([("eu", "eu/ask"), ("us", "us/ask")])));
    run.succeed("price");
    run.expect(["run sum#1"]);
    assert_eq!(run.input("sum"), "\"price\"");
}

fn joined<const N: usize>(outputs: [(&str, &str); N]) -> pawl_core::turn::Work {
    use pawl_core::turn::{AttemptPlan, InputSource, Work};
    let outputs = outputs.map(|(name, path)| (name.into(), path.into())).to_vec();
    Work::Run(AttemptPlan {
        node: pawl_core::NodeIndex(0),
        path: "price".into(),
        input: InputSource::Branches(outputs),
    })
}

#[test]
fn a_join_runs_once_when_the_last_two_branches_finish_in_the_same_turn() {
    let mut run = Run::of([price().join()]);
    run.begin("eu/ask");
    run.begin("us/ask");
    run.succeed("eu/ask");
    run.succeed("us/ask");
    run.expect(["run price#1"]);
    run.crash_and_recover();
    run.expect(["run price#1"]);
    run.succeed("price");
    run.expect_end("completed price");
    assert_eq!(run.table.joined[&"price".into()], 1);
}

#[test]
fn without_a_join_function_the_output_is_the_object_of_outputs_in_declaration_order() {
    let mut run = Run::of([price(), step("after")]);
    run.succeed("us/ask");
    run.succeed("eu/ask");
    run.expect(["run after#1"]);
    assert_eq!(run.input("after"), r#"{"eu":"eu/ask","us":"us/ask"}"#);
}

#[test]
fn a_fork_that_stands_last_completes_the_run_with_its_last_branch() {
    let mut run = Run::of([price()]);
    run.succeed("us/ask");
    run.succeed("eu/ask");
    run.expect_end("completed price");
}

#[test]
fn a_branch_walks_all_its_steps_before_it_arrives() {
    let ship = vec![step("pick"), delay("dock", 50), signal("truck"), step("pack")];
    let mut run = Run::of([fork("out", [("ship", ship), ("mail", vec![step("send")])]).join()]);
    run.succeed("mail/send");
    run.succeed("ship/pick");
    run.expect(["join out missing 1", "sleep ship/dock until 50"]);
    run.advance(50);
    run.expect(["join out missing 1", "await truck at ship/truck"]);
    run.signal("truck", "7");
    run.expect(["join out missing 1", "run ship/pack#1"]);
    assert_eq!(run.input("ship/pack"), "7");
    run.succeed("ship/pack");
    run.expect(["run out#1"]);
}

#[test]
fn the_first_branch_without_attempts_left_ends_the_whole_run() {
    let mut run = Run::of([fork("f", [("a", vec![step("x"), step("y")]), ("b", vec![step("x")])]).join()]);
    run.begin("a/x");
    run.fail("b/x", thrown("broken"));
    run.expect_end("failed PAWL_STEP_FAILED at b/x#1: broken");
}

#[test]
fn a_failing_join_function_is_tried_again_by_its_own_policy() {
    let mut run = Run::of([price().join().retry(2, 100)]);
    run.succeed("eu/ask");
    run.succeed("us/ask");
    run.fail("price", thrown("sum is off"));
    run.expect(["retry price#2 at 100"]);
    run.advance(100);
    run.succeed("price");
    run.expect_end("completed price");
}

fn nested(before: bool, after: bool) -> Part {
    let inner = fork("inner", [("x", vec![step("s")]), ("y", vec![step("s")])]).join();
    let mut chain = vec![inner];
    if before {
        chain.insert(0, step("before"));
    }
    if after {
        chain.push(step("after"));
    }
    fork("outer", [("a", chain), ("b", vec![step("s")])]).join()
}

#[test]
fn a_fork_that_stands_first_in_a_branch_opens_with_it() {
    let mut run = Run::of([nested(false, true)]);
    run.expect(["join outer missing 2", "join a/inner missing 2", "run a/x/s#1", "run a/y/s#1", "run b/s#1"]);
    run.succeed("a/x/s");
    run.succeed("b/s");
    run.succeed("a/y/s");
    run.expect(["join outer missing 1", "run a/inner#1"]);
    run.succeed("a/inner");
    run.expect(["join outer missing 1", "run a/after#1"]);
    run.succeed("a/after");
    run.expect(["run outer#1"]);
}

#[test]
fn a_fork_in_the_middle_of_a_branch_opens_when_it_is_reached() {
    let mut run = Run::of([nested(true, true)]);
    run.expect(["join outer missing 2", "run a/before#1", "run b/s#1"]);
    run.succeed("a/before");
    run.expect(["join outer missing 2", "join a/inner missing 2", "run a/x/s#1", "run a/y/s#1", "run b/s#1"]);
    assert_eq!(run.input("a/x/s"), "\"a/before\"");
}

#[test]
fn a_fork_that_stands_last_in_a_branch_makes_the_branch_arrive_with_its_join() {
    let mut run = Run::of([nested(true, false)]);
    for path in ["b/s", "a/before", "a/y/s", "a/x/s"] {
        run.succeed(path);
    }
    run.expect(["join outer missing 1", "run a/inner#1"]);
    run.succeed("a/inner");
    run.expect(["run outer#1"]);
    run.succeed("outer");
    run.expect_end("completed outer");
}

#[test]
fn forks_that_stand_first_in_each_other_all_open_at_once() {
    let deep = fork("c", [("p", vec![step("s")])]);
    let deep = fork("b", [("p", vec![deep]), ("q", vec![step("s")])]);
    let mut run = Run::of([fork("a", [("p", vec![deep])])]);
    run.expect(["join a missing 1", "join p/b missing 2", "join p/p/c missing 1", "run p/p/p/s#1", "run p/q/s#1"]);
    run.succeed("p/p/p/s");
    run.succeed("p/q/s");
    run.expect_end("completed a");
    assert_eq!(run.result("a"), r#"{"p":{"p":{"p":"p/p/p/s"},"q":"p/q/s"}}"#);
}

#[test]
fn two_forks_in_a_row_keep_their_branches_apart() {
    let mut run = Run::of([fork("one", [("a", vec![step("s")])]), fork("two", [("b", vec![step("s")])])]);
    run.succeed("a/s");
    run.expect(["join two missing 1", "run b/s#1"]);
    assert_eq!(run.input("b/s"), r#"{"a":"a/s"}"#);
    run.succeed("b/s");
    run.expect_end("completed two");
}
