//! Looking up single rows, for those who write and those who only read.

use super::db::Db;
use super::fault::Outcome;
use super::rows::{BranchRow, branch_columns};
use super::tx::RunFacts;
use crate::rules::{awaited_signal, state_from_json, wanted_input};
use bytes::Bytes;
use pawl_core::turn::Claimed;
use pawl_core::{Path, Payload, Phase, RunNo, RunState, Scope};
use rusqlite::{Row, params};

/// An open branch; `None` if there is none in this scope.
pub(super) fn branch(db: &Db, run: RunNo, scope: &Scope) -> Outcome<Option<BranchRow>> {
    db.first(
        concat!("SELECT ", branch_columns!(), " FROM pawl_branches WHERE run_no = ?1 AND scope = ?2"),
        params![run.0, scope.as_str()],
        |row| BranchRow::read(run, row),
    )
}

/// A recorded result.
pub(super) fn result(db: &Db, run: RunNo, path: &Path) -> Outcome<Option<Payload>> {
    db.first(
        "SELECT codec, bytes FROM pawl_results WHERE run_no = ?1 AND path = ?2",
        params![run.0, path.as_str()],
        |row| payload(row, 0),
    )
}

/// A payload in two columns, its codec and its bytes, beginning at this one.
pub(super) fn payload(row: &Row<'_>, column: usize) -> Outcome<Payload> {
    let bytes = row.get_ref(column + 1)?.as_blob().map_err(rusqlite::Error::from)?;
    Ok(Payload { codec: row.get(column)?, bytes: Bytes::copy_from_slice(bytes) })
}

/// The state of a run in two columns, its number and its words, beginning at this one.
pub(super) fn state(row: &Row<'_>, column: usize) -> Outcome<RunState> {
    let words = row.get_ref(column + 1)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    Ok(state_from_json(row.get(column)?, words)?)
}

/// Whether a message lies ready for a branch in this phase.
pub(super) fn message_ready_for(db: &Db, run: RunNo, phase: &Phase) -> Outcome<bool> {
    let Some(name) = awaited_signal(phase) else { return Ok(false) };
    let found = db.first(
        "SELECT 1 FROM pawl_messages WHERE run_no = ?1 AND name = ?2 AND read = 0 LIMIT 1",
        params![run.0, name],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// A stored branch as its owner sees it.
pub(super) fn claimed(db: &Db, row: BranchRow, facts: &RunFacts) -> Outcome<Claimed> {
    Ok(Claimed {
        run: row.run,
        run_id: facts.id.clone(),
        flow: facts.flow.clone(),
        signal_ready: message_ready_for(db, row.run, &row.state.phase)?,
        input: wanted_input(&row.state).map(|path| result(db, row.run, path)).transpose()?.flatten(),
        scope: row.scope,
        state: row.state,
        fence: row.fence,
        attempt: row.tally.attempt,
        crashes: row.tally.crashes,
        deadline_at: row.deadline_at,
        lost_deadline_at: row.lost_deadline_at,
        run_deadline_at: facts.deadline_at,
    })
}
