//! How SQLite does what it is asked: no statement walks over a table, and the hottest ones touch no index they need not.

use super::SqliteStore;
use super::options::SqliteOptions;
use crate::conformance::{self, Fixture, check};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

/// Walks that are meant: over the few definitions there are.
const WALKS: &[&str] = &["SELECT flow_no FROM pawl_flows"];
/// Fewer would mean that this test does not see what it is for.
const STATEMENT_COUNT_MIN: usize = 45;

/// All statements of a behaviour.
fn statements_of<Behaviour>(behaviour: impl FnOnce(Fixture) -> Behaviour) -> BTreeSet<String>
where
    Behaviour: Future<Output = ()>,
{
    let (dir, clock) = (tempfile::tempdir().unwrap(), Fixture::clock());
    let options = SqliteOptions { clock: Arc::new(clock.clone()), ..SqliteOptions::default() };
    let store = Arc::new(SqliteStore::open(dir.path().join("runs.db"), options).unwrap());
    let meter = store.meter.clone();
    check(|| async { Fixture::new(store, clock).keeping(dir) }, behaviour);
    meter.seen.lock().unwrap().clone()
}

fn all_statements() -> BTreeSet<String> {
    use conformance::{claims, conflicts, flows, lists, pauses, reads, sessions, signals, turns};
    [
        statements_of(turns::a_run_goes_through_all_kinds_of_nodes_to_its_end),
        statements_of(flows::a_definition_is_found_by_its_hash_and_its_name),
        statements_of(claims::one_run_can_be_asked_for_its_work),
        statements_of(claims::a_claim_tells_when_more_becomes_due),
        statements_of(conflicts::terminate_existing_begins_a_new_life_in_every_state),
        statements_of(lists::each_status_lists_its_runs),
        statements_of(lists::runs_are_listed_newest_first_page_by_page),
        statements_of(pauses::a_step_in_between_does_not_refuse_a_pause),
        statements_of(reads::history_is_told_in_the_order_it_happened),
        statements_of(lists::a_list_of_a_flow_shows_all_its_shapes_and_no_other_flow),
        statements_of(reads::states_are_answered_in_the_order_asked),
        statements_of(sessions::a_session_can_ask_what_it_holds),
        statements_of(sessions::a_session_is_told_what_became_of_its_claims),
        statements_of(sessions::what_a_dead_session_held_is_due_again_and_counts_as_a_crash),
        statements_of(sessions::a_heartbeat_extends_a_session_from_now),
        statements_of(sessions::a_reader_sees_who_holds_a_branch),
        statements_of(signals::a_key_is_accepted_once_also_after_its_message_was_read),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// An empty database of ours, to ask for plans.
fn empty() -> (tempfile::TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("runs.db");
    drop(SqliteStore::open(&file, SqliteOptions::default()).unwrap());
    (dir, Connection::open(file).unwrap())
}

/// The plan of a statement, a line for each table.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let lines = explain.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<Result<_, _>>();
    lines.unwrap()
}

#[test]
fn no_statement_walks_over_a_table() {
    let statements = all_statements();
    let (_dir, connection) = empty();
    let is_planned = |sql: &str| ["SELECT", "INSERT", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb));
    let planned: Vec<&String> = statements.iter().filter(|sql| is_planned(sql)).collect();
    assert!(planned.len() >= STATEMENT_COUNT_MIN, "only {}: {planned:#?}", planned.len());
    for sql in planned {
        let plan = plan(&connection, sql);
        let walks = plan.iter().any(|line| line.starts_with("SCAN pawl_"));
        assert!(!walks || WALKS.contains(&sql.as_str()), "{sql}\n{plan:#?}");
    }
}

#[test]
fn due_work_of_a_flow_is_read_from_its_index_in_order() {
    let (_dir, connection) = empty();
    for sql in [super::writes::DUE_OF_FLOW, super::writes::NEXT_OF_FLOW] {
        let plan = plan(&connection, sql);
        let expected = "SEARCH pawl_branches USING COVERING INDEX pawl_branches_due (flow_no=? AND due_at";
        assert!(plan.len() == 1 && plan[0].starts_with(expected), "{sql}\n{plan:#?}");
    }
}

#[test]
fn work_of_one_run_is_looked_for_in_that_run_alone() {
    let (_dir, connection) = empty();
    for sql in [super::writes::DUE_OF_RUN, super::writes::NEXT_OF_RUN] {
        let plan = plan(&connection, sql);
        assert!(plan[0].starts_with("SEARCH pawl_branches USING PRIMARY KEY (run_no=?)"), "{sql}\n{plan:#?}");
    }
}

/// A branch that stays with its worker is one row written in place.
#[test]
fn a_kept_move_writes_the_row_and_no_index() {
    let (_dir, connection) = empty();
    let mut explain = connection.prepare(&format!("EXPLAIN {}", super::writes::MOVE)).unwrap();
    let steps = explain.raw_query().mapped(|row| Ok((row.get::<_, String>(1)?, row.get::<_, i64>(3)?)));
    let opened: Vec<i64> =
        steps.map(Result::unwrap).filter(|(opcode, _)| opcode == "OpenWrite").map(|(_, root)| root).collect();
    let of_table = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    // The table is stored in the index of its primary key.
    let table = of_table("SELECT rootpage FROM sqlite_schema WHERE name = 'pawl_branches'");
    assert_eq!(opened, [table]);
}
