use crate::run::{Run, fork, step};
use pawl_core::Millis;

#[test]
fn an_attempt_has_its_deadline_from_its_claim() {
    let mut run = Run::of([step("a"), step("slow").timeout(30)]);
    run.succeed("a");
    run.advance(1_000);
    assert_eq!(run.table.look(&"".into()).deadline_at, Some(Millis(1_030)));
}

#[test]
fn a_step_without_a_timeout_has_no_deadline() {
    let mut run = Run::of([step("slow").timeout(30), step("free")]);
    run.succeed("slow");
    assert_eq!(run.table.look(&"".into()).deadline_at, None);
}

#[test]
fn a_timeout_without_attempts_left_fails_the_run_and_names_step_and_limit() {
    let mut run = Run::of([step("slow").timeout(5)]);
    run.time_out("slow");
    run.expect_end("failed PAWL_STEP_TIMEOUT at slow#1: \"slow\" timed out after 5 ms");
}

#[test]
fn a_timeout_counts_as_a_failed_attempt() {
    let mut run = Run::of([step("slow").timeout(30).retry(2, 100)]);
    run.time_out("slow");
    run.expect(["retry slow#2 at 100"]);
    run.advance(100);
    assert_eq!(run.table.look(&"".into()).deadline_at, Some(Millis(130)), "the next attempt has its whole time");
    run.time_out("slow");
    run.expect_end("failed PAWL_STEP_TIMEOUT at slow#2: \"slow\" timed out after 30 ms");
}

#[test]
fn a_join_function_has_a_timeout_of_its_own() {
    let mut run = Run::of([fork("f", [("a", vec![step("s")])]).join().timeout(40)]);
    run.succeed("a/s");
    assert_eq!(run.table.look(&"".into()).deadline_at, Some(Millis(40)));
    run.time_out("f");
    run.expect_end("failed PAWL_STEP_TIMEOUT at f#1: \"f\" timed out after 40 ms");
}

#[test]
fn a_deadline_that_passed_while_the_worker_was_dead_is_a_timeout() {
    let mut run = Run::of([step("slow").timeout(30)]);
    run.begin("slow");
    run.table.now = Millis(30);
    run.crash_and_recover();
    run.expect_end("failed PAWL_STEP_TIMEOUT at slow#1: \"slow\" timed out after 30 ms");
}

#[test]
fn a_deadline_that_passed_with_its_worker_leaves_the_other_attempts() {
    let mut run = Run::of([step("slow").timeout(30).retry(2, 100)]);
    run.begin("slow");
    run.table.now = Millis(45);
    run.crash_and_recover();
    run.expect(["retry slow#3 at 145"]);
    let failure = run.table.history[0].failure.as_ref().unwrap();
    assert_eq!(failure.attempt, 1, "the attempt that was lost is the one that was too late");
}

#[test]
fn an_attempt_that_was_lost_in_time_is_run_again_with_its_whole_time() {
    let mut run = Run::of([step("slow").timeout(30)]);
    run.begin("slow");
    run.table.now = Millis(29);
    run.crash_and_recover();
    run.expect(["run slow#2"]);
    assert_eq!(run.table.look(&"".into()).deadline_at, Some(Millis(59)));
}
