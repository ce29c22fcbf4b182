use crate::run::{Run, Table, fork, step};
use pawl_core::turn::Outcome;
use pawl_core::{Payload, Scope};

#[test]
fn the_same_outcome_delivered_twice_is_recorded_once() {
    let mut run = Run::of([step("a"), step("b")]);
    let claimed = run.table.claim(&Scope::root());
    let decision = run.table.decide(&claimed, Outcome::Succeeded(Payload::json("1")));
    assert!(run.table.commit(&claimed, decision.clone()));
    assert!(!run.table.commit(&claimed, decision), "the fence has moved");
    run.expect(["run b#1"]);
}

#[test]
fn an_owner_that_was_replaced_is_refused() {
    let mut run = Run::of([step("a"), step("b")]);
    let old = run.table.claim(&Scope::root());
    run.table.crash();
    let new = run.table.claim(&Scope::root());
    let decide = |table: &Table, claim| table.decide(claim, Outcome::Succeeded(Payload::json("1")));
    let (late, in_time) = (decide(&run.table, &old), decide(&run.table, &new));
    assert!(!run.table.commit(&old, late));
    assert!(run.table.commit(&new, in_time));
}

#[test]
fn an_attempt_that_was_handed_back_before_it_started_is_not_counted() {
    let mut run = Run::of([step("a")]);
    for (started, wish) in [(false, "run a#1"), (true, "run a#2")] {
        let claimed = run.table.claim(&Scope::root());
        run.table.hand_back(&claimed, started);
        run.expect([wish]);
    }
}

#[test]
fn a_branch_that_is_not_due_is_given_back() {
    use crate::run::{delay, signal};
    use pawl_core::turn::Work;
    let run = Run::of([fork("f", [("nap", vec![delay("d", 10)]), ("wait", vec![signal("ok").timeout(10)])])]);
    for scope in ["", "nap", "wait"] {
        assert_eq!(run.table.ask(&run.table.look(&scope.into())), Work::Release, "{scope}");
    }
}
