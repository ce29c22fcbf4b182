use crate::run::{Run, fork, signal, step};

#[test]
fn a_message_becomes_the_nodes_result_and_the_next_input() {
    let mut run = Run::of([signal("approval"), step("a")]);
    run.expect(["await approval at approval"]);
    run.signal("approval", r#"{"by":"ops"}"#);
    run.expect(["run a#1"]);
    assert_eq!(run.input("a"), r#"{"by":"ops"}"#);
}

#[test]
fn a_message_that_came_early_is_read_when_the_node_is_reached() {
    let mut run = Run::of([step("a"), signal("ok")]);
    run.signal("ok", "1");
    run.expect(["run a#1"]);
    run.succeed("a");
    run.expect_end("completed ok");
    assert_eq!(run.result("ok"), "1");
}

#[test]
fn messages_of_one_name_are_read_in_the_order_they_came() {
    let mut run = Run::of([
        step("a"),
        signal("first").awaiting("item"),
        signal("second").awaiting("item"),
        signal("third").awaiting("item"),
    ]);
    run.signal("item", "1");
    run.signal("item", "2");
    run.succeed("a");
    run.expect(["await item at third"]);
    run.signal("item", "3");
    run.expect_end("completed third");
    assert_eq!([run.result("first"), run.result("second"), run.result("third")], ["1", "2", "3"]);
}

#[test]
fn a_message_of_another_name_moves_nothing() {
    let mut run = Run::of([signal("ok")]);
    run.signal("other", "1");
    run.expect(["await ok at ok"]);
}

#[test]
fn one_message_moves_one_of_two_branches_that_await_it() {
    let mut run = Run::of([fork("f", [("a", vec![signal("ok")]), ("b", vec![signal("ok")])])]);
    run.signal("ok", "1");
    assert_eq!(run.table.open.len(), 2, "the fork and the branch that still waits");
    run.signal("ok", "2");
    run.expect_end("completed f");
}

#[test]
fn a_message_that_does_not_come_in_time_fails_the_run() {
    let mut run = Run::of([step("a"), signal("ok").timeout(500), step("b")]);
    run.succeed("a");
    run.expect(["await ok at ok until 500"]);
    run.advance(500);
    run.expect_end("failed PAWL_SIGNAL_TIMEOUT at ok#0: The signal \"ok\" did not arrive at \"ok\" in time");
}

#[test]
fn a_run_may_go_on_without_the_message() {
    let mut run = Run::of([signal("ok").timeout(500).or_go_on(), step("a")]);
    run.advance(499);
    run.expect(["await ok at ok until 500"]);
    run.advance(1);
    run.expect(["run a#1"]);
    assert_eq!(run.input("a"), r#"{"timedOut":true}"#);
    let kinds: Vec<&str> = run.table.history.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["signalTimedOut"]);
}

#[test]
fn a_message_that_is_there_wins_over_a_timeout_that_has_passed() {
    let mut run = Run::of([signal("ok").timeout(500)]);
    run.table.send("ok", pawl_core::Payload::json("1"));
    run.advance(10_000);
    run.expect_end("completed ok");
}

#[test]
fn a_signal_survives_a_crash_before_and_after_its_message() {
    let mut run = Run::of([signal("ok"), step("a")]);
    run.crash_and_recover();
    run.expect(["await ok at ok"]);
    run.signal("ok", "1");
    run.crash_and_recover();
    run.expect(["run a#1"]);
    assert_eq!(run.result("ok"), "1");
}
