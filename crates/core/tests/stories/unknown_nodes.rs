//! Rows that no store of ours would hold: the run ends with an answer, and nothing panics.

use crate::run::{Run, delay, signal, step, thrown};
use pawl_core::turn::{Outcome, Work};
use pawl_core::{Change, ErrorCode, Millis, Payload, Phase, RunState, Scope};

#[track_caller]
fn assert_not_found(run: &Run, change: &Change) {
    match change {
        Change::End(RunState::Failed(failure)) => assert_eq!(failure.code, ErrorCode::TaskNotFound, "{failure:?}"),
        other => panic!("the run goes on: {other:?} of {:?}", run.table.flow.name),
    }
}

#[test]
fn a_branch_on_a_node_that_the_flow_does_not_have_ends_its_run() {
    let mut run = Run::of([step("a")]);
    run.table.open.get_mut(&Scope::root()).unwrap().state.node = "gone".into();
    run.advance(0);
    run.expect_end(
        "failed PAWL_TASK_NOT_FOUND at gone#0: The flow \"story\" has no node \"gone\" that could be in this position",
    );
}

#[test]
fn a_phase_that_the_node_cannot_have_ends_the_run() {
    let run = Run::of([step("a"), delay("nap", 5), signal("ok")]);
    let sleeping = Phase::Sleeping { wake_at: Millis(0) };
    let awaiting = Phase::Awaiting { signal: "ok".into(), timeout_at: Some(Millis(0)) };
    let wrong = [("a", sleeping.clone()), ("ok", sleeping), ("a", awaiting.clone()), ("nap", awaiting)];
    for (node, phase) in wrong.into_iter().chain([("nap", Phase::Ready), ("ok", Phase::Ready)]) {
        let mut claimed = run.table.look(&Scope::root());
        (claimed.state.node, claimed.state.phase) = (node.into(), phase);
        match run.table.ask(&claimed) {
            Work::Settle(decision) => assert_not_found(&run, &decision.change),
            other => panic!("{node}: {other:?}"),
        }
    }
}

#[test]
fn an_outcome_that_the_node_cannot_have_ends_the_run_and_records_nothing() {
    let run = Run::of([step("a"), delay("nap", 5), signal("ok")]);
    let value = || Outcome::Succeeded(Payload::json("1"));
    let wrong = [
        ("a", Outcome::SleepEnded),
        ("a", Outcome::SignalArrived),
        ("a", Outcome::SignalTimedOut),
        ("nap", value()),
        ("nap", Outcome::TimedOut),
        ("nap", Outcome::SignalTimedOut),
        ("ok", value()),
        ("ok", Outcome::Failed(thrown("no"))),
        ("ok", Outcome::SleepEnded),
    ];
    for (node, outcome) in wrong {
        let mut claimed = run.table.look(&Scope::root());
        claimed.state.node = node.into();
        let decision = run.table.decide(&claimed, outcome);
        assert_not_found(&run, &decision.change);
        assert!(decision.results.is_empty());
    }
}
