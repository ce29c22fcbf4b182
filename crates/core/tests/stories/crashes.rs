use crate::run::{Run, fork, step, thrown};
use pawl_core::turn::CRASH_COUNT_MAX;

#[test]
fn an_attempt_that_was_lost_with_its_worker_is_run_again() {
    let mut run = Run::of([step("a")]);
    run.begin("a");
    run.expect(["running a#1"]);
    run.crash_and_recover();
    run.expect(["run a#2"]);
    run.succeed("a");
    run.expect_end("completed a");
}

#[test]
fn what_is_recorded_stays_recorded() {
    let mut run = Run::of([step("a"), fork("f", [("x", vec![step("s")]), ("y", vec![step("s")])]).join()]);
    run.succeed("a");
    run.succeed("x/s");
    run.begin("y/s");
    run.crash_and_recover();
    run.expect(["join f missing 1", "run y/s#2"]);
}

#[test]
fn a_crash_is_not_a_failure() {
    let mut run = Run::of([step("a").retry(2, 100)]);
    run.begin("a");
    run.crash_and_recover();
    run.fail("a", thrown("no"));
    run.expect(["retry a#3 at 100"]);
}

#[test]
fn a_wait_between_attempts_survives_a_crash() {
    let mut run = Run::of([step("a").retry(2, 100)]);
    run.fail("a", thrown("no"));
    run.crash_and_recover();
    run.expect(["retry a#2 at 100"]);
}

#[test]
fn a_node_that_kills_its_workers_again_and_again_ends_the_run() {
    let mut run = Run::of([step("poison").retry(100, 0)]);
    for attempt in 1..=CRASH_COUNT_MAX {
        run.expect([&format!("run poison#{attempt}")]);
        run.begin("poison");
        run.crash_and_recover();
    }
    run.expect_end("failed PAWL_STEP_CRASHED at poison#5: The process died 5 times while it ran \"poison\"");
}

#[test]
fn crashes_are_counted_per_node() {
    let mut run = Run::of([step("a"), step("b")]);
    for path in ["a", "b"] {
        for _ in 1..CRASH_COUNT_MAX {
            run.begin(path);
            run.crash_and_recover();
        }
        run.succeed(path);
    }
    run.expect_end("completed b");
}
