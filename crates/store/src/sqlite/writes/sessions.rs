//! Who works here, until when, and what becomes of what they held.

use super::branches::{self, Loss};
use super::history::note;
use crate::rules::{Apart, counts_as_attempt, lost_event};
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use crate::sqlite::rows::{BranchRow, text};
use crate::sqlite::tx::Tx;
use crate::{Reaped, SessionSpec};
use pawl_core::{Millis, RunNo, Scope, SessionNo};
use rusqlite::params;

pub fn open_session(tx: &Tx<'_>, spec: &SessionSpec) -> Outcome<SessionNo> {
    let number = tx.insert(
        "INSERT INTO pawl_sessions (worker, expires_at) VALUES (?1, ?2)",
        params![spec.worker, tx.now.plus(spec.ttl_ms).0],
    )?;
    Ok(SessionNo(number))
}

pub fn heartbeat(tx: &Tx<'_>, session: SessionNo, ttl_ms: i64) -> Outcome<bool> {
    let extended = tx.execute(
        "UPDATE pawl_sessions SET expires_at = ?2 WHERE session_no = ?1",
        params![session.0, tx.now.plus(ttl_ms).0],
    )?;
    Ok(extended == 1)
}

pub fn reap(tx: &Tx<'_>) -> Outcome<Reaped> {
    let over = tx.all(
        "SELECT session_no, worker FROM pawl_sessions WHERE expires_at <= ?1 ORDER BY +session_no",
        [tx.now.0],
        |row| Ok((SessionNo(row.get(0)?), row.get::<_, String>(1)?)),
    )?;
    let mut freed = 0;
    for (session, worker) in over {
        let mut apart = Apart::new(tx.now);
        for row in held_by(tx, session)? {
            lose(tx, &row, &worker, &mut apart)?;
            freed += 1;
        }
        tx.end_session(session)?;
    }
    let next_expiry_at = tx.first("SELECT min(expires_at) FROM pawl_sessions", (), |row| Ok(row.get(0)?))?.flatten();
    Ok(Reaped { freed, next_expiry_at: next_expiry_at.map(Millis) })
}

pub fn close_session(tx: &Tx<'_>, session: SessionNo) -> Outcome<()> {
    for row in held_by(tx, session)? {
        branches::free(tx, &row, row.tally.handed_back(false), &Loss::default())?;
    }
    tx.end_session(session)
}

/// Frees a branch whose worker is gone.
fn lose(tx: &Tx<'_>, row: &BranchRow, worker: &str, apart: &mut Apart) -> Outcome<()> {
    let phase = &row.state.phase;
    if counts_as_attempt(phase) {
        note(tx, row.run, &[lost_event(&row.state, row.tally, worker)])?;
    }
    let tally = row.tally.lost(phase);
    let loss = Loss { deadline_at: row.deadline_at, not_before: apart.not_before(row.run, tally.crashes) };
    branches::free(tx, row, tally, &loss)
}

/// The branches of a session, in order. Damaged ones are put aside and not among them.
fn held_by(tx: &Tx<'_>, session: SessionNo) -> Outcome<Vec<BranchRow>> {
    let keys = tx.all(
        "SELECT run_no, scope FROM pawl_branches WHERE owner = ?1 ORDER BY run_no, scope",
        [session.0],
        |row| Ok((RunNo(row.get(0)?), Scope(text(row, 1)?))),
    )?;
    let mut rows = Vec::with_capacity(keys.len());
    for (run, scope) in keys {
        match lookups::branch(tx, run, &scope) {
            Ok(row) => rows.extend(row),
            Err(fault) if fault.is_damage() => branches::put_aside(tx, run, scope.as_str(), &fault)?,
            Err(fault) => return Err(fault),
        }
    }
    Ok(rows)
}
