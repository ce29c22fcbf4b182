//! Runs, newest first.

use super::run::{damaged_state, open_branches, record, run_columns};
use crate::rules::matches;
use crate::sqlite::db::Db;
use crate::sqlite::fault::Outcome;
use crate::sqlite::rows::text;
use crate::{ListQuery, RunRecord, StatusFilter};
use pawl_core::{FlowHash, Millis, RunId, RunNo};
use rusqlite::{Row, params};

/// How many runs are looked at in one go where a status depends on the open branches.
const PAGE_COUNT: usize = 256;

/// Runs by state or by flow are found through an index of (flow, state, number): one short walk for each pair, merged.
pub fn list(db: &Db, query: &ListQuery, now: Millis) -> Outcome<Vec<RunRecord>> {
    let mut listed = Vec::new();
    let mut before = query.before.map_or(i64::MAX, |before| before.0);
    while listed.len() < query.limit {
        let missing = query.limit - listed.len();
        let wanted = if states_of(query.status) == RUNNING { missing.max(PAGE_COUNT) } else { missing };
        let page = db.snapshot(|db| page(db, query, before, wanted))?;
        let Some(last) = page.last() else { break };
        before = last.run.0;
        let fits = |run: &RunRecord| query.status.is_none_or(|status| matches(status, run, now));
        listed.extend(page.into_iter().filter(fits));
    }
    listed.truncate(query.limit);
    Ok(listed)
}

fn page(db: &Db, query: &ListQuery, before: i64, count: usize) -> Outcome<Vec<RunRecord>> {
    let numbers = match (&query.flow, query.status) {
        (None, None) => db.all(
            "SELECT run_no FROM pawl_runs WHERE run_no < ?1 ORDER BY run_no DESC LIMIT ?2",
            params![before, count as i64],
            number,
        )?,
        (flow, status) => numbers_by_index(db, flow.as_deref(), status, before, count)?,
    };
    numbers.into_iter().map(|run| whole(db, run)).collect()
}

fn numbers_by_index(
    db: &Db,
    flow: Option<&str>,
    status: Option<StatusFilter>,
    before: i64,
    count: usize,
) -> Outcome<Vec<i64>> {
    let flows = match flow {
        Some(name) => db.all("SELECT flow_no FROM pawl_flows WHERE name = ?1", [name], number)?,
        None => db.all("SELECT flow_no FROM pawl_flows", (), number)?,
    };
    let mut numbers = Vec::new();
    for flow_no in flows {
        for state in states_of(status) {
            numbers.extend(db.all(
                "SELECT run_no FROM pawl_runs WHERE flow_no = ?1 AND state = ?2 AND run_no < ?3
                 ORDER BY run_no DESC LIMIT ?4",
                params![flow_no, state, before, count as i64],
                number,
            )?);
        }
    }
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.truncate(count);
    Ok(numbers)
}

/// What may show as three statuses, depending on the open branches.
const RUNNING: &[u8] = &[1];

/// The stored states that may show as this status.
fn states_of(status: Option<StatusFilter>) -> &'static [u8] {
    match status {
        None => &[1, 2, 3, 4, 5],
        Some(StatusFilter::Running | StatusFilter::Waiting | StatusFilter::AwaitingSignal) => RUNNING,
        Some(StatusFilter::Paused) => &[2],
        Some(StatusFilter::Completed) => &[3],
        Some(StatusFilter::Failed) => &[4],
        Some(StatusFilter::Cancelled) => &[5],
    }
}

fn number(row: &Row<'_>) -> Outcome<i64> {
    Ok(row.get(0)?)
}

/// A damaged run is listed as failed with what is wrong with it: it neither hides nor hides others.
fn whole(db: &Db, number: i64) -> Outcome<RunRecord> {
    let run = db
        .first(concat!("SELECT ", run_columns!(), " FROM pawl_runs WHERE run_no = ?1"), [number], record)
        .and_then(|run| {
            let run = run.ok_or_else(|| crate::sqlite::fault::Fault::Damaged("it is in an index only".into()))?;
            Ok(RunRecord { open: open_branches(db, run.run)?, ..run })
        });
    match run {
        Err(fault) if fault.is_damage() => Ok(RunRecord {
            run: RunNo(number),
            id: id_of(db, number)?.unwrap_or_else(|| RunId::from("")),
            flow: FlowHash::from(""),
            flow_name: String::new(),
            state: damaged_state(fault),
            version: 0,
            created_at: Millis(0),
            ended_at: None,
            deadline_at: None,
            open: Vec::new(),
        }),
        run => run,
    }
}

fn id_of(db: &Db, number: i64) -> Outcome<Option<RunId>> {
    db.first("SELECT id FROM pawl_runs WHERE run_no = ?1", [number], |row| Ok(RunId(text(row, 0)?)))
}
