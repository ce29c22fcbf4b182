//! A run with its open branches.

use crate::RunRecord;
use crate::sqlite::db::Db;
use crate::sqlite::fault::{Fault, Outcome};
use crate::sqlite::lookups;
use crate::sqlite::rows::{BranchRow, branch_columns, millis, text};
use pawl_core::run::OpenView;
use pawl_core::{ErrorCode, Failure, FlowHash, Millis, RunId, RunNo, RunState, SessionNo};
use rusqlite::Row;

/// The columns that [`record`] expects, in its order.
macro_rules! run_columns {
    () => {
        "run_no, id, state, words, version, created_at, ended_at, deadline_at, \
         (SELECT hash FROM pawl_flows WHERE pawl_flows.flow_no = pawl_runs.flow_no), \
         (SELECT name FROM pawl_flows WHERE pawl_flows.flow_no = pawl_runs.flow_no)"
    };
}
pub(super) use run_columns;

pub fn run_by_id(db: &Db, id: &RunId) -> Outcome<Option<RunRecord>> {
    db.snapshot(|db| {
        let run = db.first(
            concat!("SELECT ", run_columns!(), " FROM pawl_runs WHERE id = ?1 ORDER BY run_no DESC LIMIT 1"),
            [id.as_str()],
            record,
        );
        let whole = |run: RunRecord| Ok(RunRecord { open: open_branches(db, run.run)?, ..run });
        run.and_then(|run| run.map(whole).transpose()).map_err(|fault| fault.of(format!("the run \"{id}\"")))
    })
}

/// A run, without its branches.
pub(super) fn record(row: &Row<'_>) -> Outcome<RunRecord> {
    Ok(RunRecord {
        run: RunNo(row.get(0)?),
        id: RunId(text(row, 1)?),
        state: lookups::state(row, 2)?,
        version: row.get(4)?,
        created_at: Millis(row.get(5)?),
        ended_at: millis(row, 6)?,
        deadline_at: millis(row, 7)?,
        flow: FlowHash(text(row, 8)?),
        flow_name: row.get(9)?,
        open: Vec::new(),
    })
}

/// The open branches of a run, by scope.
pub(super) fn open_branches(db: &Db, run: RunNo) -> Outcome<Vec<OpenView>> {
    let rows = db.all(
        concat!("SELECT ", branch_columns!(), " FROM pawl_branches WHERE run_no = ?1 ORDER BY scope"),
        [run.0],
        |row| BranchRow::read(run, row),
    )?;
    rows.into_iter().map(|row| open_view(db, row)).collect()
}

fn open_view(db: &Db, row: BranchRow) -> Outcome<OpenView> {
    Ok(OpenView {
        scope: row.scope,
        state: row.state,
        claimed: row.owner.is_some(),
        worker: row.owner.map(|owner| worker(db, owner)).transpose()?.flatten(),
        attempt: row.tally.attempt,
        due_at: row.due_at,
    })
}

fn worker(db: &Db, session: SessionNo) -> Outcome<Option<String>> {
    db.first("SELECT worker FROM pawl_sessions WHERE session_no = ?1", [session.0], |row| Ok(row.get(0)?))
}

/// The state of a run. One that cannot be read is told as failed, so that whoever waits for it hears of the damage and
/// whoever waits for its neighbours is not disturbed.
pub(super) fn state_of(db: &Db, run: RunNo) -> Outcome<Option<RunState>> {
    match db.first("SELECT state, words FROM pawl_runs WHERE run_no = ?1", [run.0], |row| lookups::state(row, 0)) {
        Err(fault) if fault.is_damage() => Ok(Some(damaged_state(fault))),
        state => state,
    }
}

/// What is told of a run whose row cannot be read.
pub(super) fn damaged_state(fault: Fault) -> RunState {
    let message = match fault {
        Fault::Damaged(what) => what,
        Fault::Store(error) => error.message,
        Fault::Sqlite(error) => error.to_string(),
    };
    RunState::Failed(Failure { code: ErrorCode::StoreCorrupt, path: None, attempt: 0, message, cause: None })
}
