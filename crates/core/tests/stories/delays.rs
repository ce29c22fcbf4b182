use crate::run::{Run, delay, delay_until, fork, signal, step};

#[test]
fn a_delay_counts_from_the_moment_it_is_reached() {
    let mut run = Run::of([step("a"), delay("nap", 1_000), step("b")]);
    run.advance(300);
    run.succeed("a");
    run.expect(["sleep nap until 1300"]);
    run.advance(999);
    run.expect(["sleep nap until 1300"]);
    run.advance(1);
    run.expect(["run b#1"]);
}

#[test]
fn a_delay_passes_its_input_through() {
    let mut run = Run::of([step("a"), delay("nap", 10), delay("more", 10), step("b")]);
    run.succeed("a");
    run.advance(10);
    run.expect(["sleep more until 20"]);
    run.advance(10);
    assert_eq!(run.result("nap"), "\"a\"");
    assert_eq!(run.result("more"), "\"a\"");
    assert_eq!(run.input("b"), "\"a\"");
}

#[test]
fn a_delay_that_stands_last_returns_what_it_was_given() {
    let mut run = Run::of([step("a"), delay("nap", 10)]);
    run.succeed("a");
    run.advance(10);
    run.expect_end("completed nap");
    assert_eq!(run.result("nap"), "\"a\"");
}

#[test]
fn a_delay_that_stands_first_passes_on_the_runs_input() {
    let mut run = Run::of([delay("nap", 10), step("a")]);
    run.advance(10);
    assert_eq!(run.input("a"), "\"in\"");
}

#[test]
fn a_delay_ends_at_its_moment_and_one_in_the_past_at_once() {
    let mut run = Run::of([delay_until("past", -5), delay_until("later", 700), step("a")]);
    run.expect(["sleep later until 700"]);
    run.advance(700);
    run.expect(["run a#1"]);
}

#[test]
fn a_delay_survives_a_crash_and_is_not_begun_again() {
    let mut run = Run::of([delay("nap", 1_000), step("a")]);
    run.advance(600);
    run.crash_and_recover();
    run.expect(["sleep nap until 1000"]);
}

#[test]
fn a_delay_in_one_branch_parks_that_branch_only() {
    let mut run = Run::of([fork("f", [("eu", vec![delay("nap", 1_000)]), ("us", vec![step("a"), signal("ok")])])]);
    run.expect(["join f missing 2", "sleep eu/nap until 1000", "run us/a#1"]);
    run.succeed("us/a");
    run.expect(["join f missing 2", "sleep eu/nap until 1000", "await ok at us/ok"]);
    run.signal("ok", "1");
    run.expect(["join f missing 1", "sleep eu/nap until 1000"]);
    run.advance(1_000);
    run.expect_end("completed f");
}
