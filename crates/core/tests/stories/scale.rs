//! Long, wide and deep flows: nothing recurses, and time grows with the size of the flow and not with its square.

use crate::run::{Part, Table, fork, step};
use pawl_core::flow::{Definition, NodeDefinition, NodeShape};
use pawl_core::turn::{Outcome, Work};
use pawl_core::{Payload, RetryPolicy, RunState};
use std::time::{Duration, Instant};

/// Far above what a linear walk needs in a debug build (milliseconds), far below what a quadratic one takes.
const LIMIT: Duration = Duration::from_secs(20);

/// An eighth of what a thread of a runtime has: a walk that recurses into the flow would not fit.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let begun = Instant::now();
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).expect("a thread starts");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
    assert!(begun.elapsed() < LIMIT, "took {:?}", begun.elapsed());
}

/// Runs all that is due, front to back, to the end of the run; `visits` bounds the number of turns.
fn finish(table: &mut Table, mut visits: usize) {
    let mut due: Vec<_> = table.open.keys().cloned().collect();
    while table.state == RunState::Running {
        let scope = due.pop().or_else(|| table.due()).expect("a running run has due work");
        if !table.open.contains_key(&scope) || !table.is_due(&scope) {
            continue;
        }
        visits = visits.checked_sub(1).expect("every node is visited once");
        let claimed = table.claim(&scope);
        let decision = match table.ask(&claimed) {
            Work::Settle(decision) => decision,
            Work::Run(_) | Work::Gather(_) => table.decide(&claimed, Outcome::Succeeded(Payload::json("1"))),
            Work::Release => panic!("{scope:?} was due"),
        };
        assert!(table.commit(&claimed, decision));
        due.push(scope);
    }
    assert!(matches!(table.state, RunState::Completed { .. }), "{:?}", table.state);
    assert_eq!(visits, 0);
}

fn start(definition: &Definition) -> Table {
    Table::start(definition.build().expect("the flow is sound"), Payload::json("1"))
}

#[test]
fn a_chain_of_ten_thousand_steps() {
    on_a_small_stack(|| {
        let chain: Vec<Part> = (0..10_000).map(|at| step(&format!("step-{at}"))).collect();
        let mut table = start(&crate::run::definition(chain));
        finish(&mut table, 10_000);
    });
}

#[test]
fn a_fork_of_ten_thousand_branches() {
    on_a_small_stack(|| {
        let branches: Vec<(String, Vec<Part>)> =
            (0..10_000).map(|at| (format!("branch-{at}"), vec![step("s")])).collect();
        let mut table = start(&crate::run::definition([fork("f", branches).join()]));
        assert_eq!(table.open.len(), 10_001);
        finish(&mut table, 10_001);
    });
}

#[test]
fn five_hundred_forks_inside_each_other() {
    const DEPTH: usize = 500;
    on_a_small_stack(|| {
        let mut nodes = Vec::new();
        let mut scope = String::new();
        for _ in 0..DEPTH {
            let (branches, retry) = (vec!["b".to_owned()], RetryPolicy::default());
            let shape = NodeShape::Fork { branches, join: true, retry, timeout_ms: None };
            nodes.push(NodeDefinition { scope: scope.clone(), name: "f".into(), shape });
            scope = if scope.is_empty() { "b".into() } else { format!("{scope}/b") };
        }
        let shape = NodeShape::Step { retry: RetryPolicy::default(), timeout_ms: None };
        nodes.push(NodeDefinition { scope, name: "s".into(), shape });
        let mut table = start(&Definition { name: "deep".into(), deadline_ms: None, nodes });
        assert_eq!(table.open.len(), DEPTH + 1, "all forks open at once");
        finish(&mut table, DEPTH + 1);
        assert_eq!(table.joined.len(), DEPTH);
    });
}
