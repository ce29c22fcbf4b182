//! A message for a run.

use super::messages;
use super::run_state::newest_life;
use crate::sqlite::fault::Outcome;
use crate::sqlite::tx::Tx;
use crate::{NewSignal, SignalReceipt, SignalRefusal};
use pawl_core::RunNo;
use rusqlite::params;

type Answered = Result<SignalReceipt, SignalRefusal>;

pub fn signal(tx: &Tx<'_>, signals: &[NewSignal]) -> Outcome<Vec<Answered>> {
    signals.iter().map(|signal| accept(tx, signal)).collect()
}

fn accept(tx: &Tx<'_>, signal: &NewSignal) -> Outcome<Answered> {
    let Some(life) = newest_life(tx, &signal.run_id)? else { return Ok(Err(SignalRefusal::RunNotFound)) };
    // Before the state: whoever sends a message again after the run has ended learns that it had arrived.
    if let Some(key) = &signal.key
        && messages::knows_key(tx, life.run, &signal.name, key)?
    {
        return Ok(Ok(SignalReceipt::Duplicate));
    }
    if life.state.is_terminal() {
        return Ok(Err(SignalRefusal::RunEnded { state: life.state }));
    }
    tx.execute(
        "INSERT INTO pawl_messages (run_no, name, key, sent_at, read, codec, bytes) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)",
        params![life.run.0, signal.name, signal.key, tx.now.0, signal.payload.codec, &signal.payload.bytes[..]],
    )?;
    Ok(Ok(SignalReceipt::Accepted { woke: wake_one(tx, life.run, &signal.name)? }))
}

/// Makes one free branch due that awaits this message and sleeps: nothing but its timeout would move it, and that not yet.
/// One message wakes one branch; whoever is awake already (also after the clock was set back), or is claimed, looks into
/// the mailbox when it is handed out next.
fn wake_one(tx: &Tx<'_>, run: RunNo, name: &str) -> Outcome<bool> {
    let woken = tx.first(
        "UPDATE pawl_branches SET due_at = ?3 WHERE run_no = ?1 AND scope = (
             SELECT scope FROM pawl_branches
             WHERE run_no = ?1 AND signal = ?2 AND owner IS NULL
                 AND due_at IS phase_at AND (due_at IS NULL OR due_at > ?3)
             ORDER BY scope LIMIT 1
         ) RETURNING held = 0",
        params![run.0, name, tx.now.0],
        |row| Ok(row.get(0)?),
    )?;
    Ok(woken.unwrap_or(false))
}
