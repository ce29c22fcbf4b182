//! Freeing one branch row, and putting aside what cannot be understood.

use crate::rules::{self, Tally};
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use crate::sqlite::rows::{BranchRow, DAMAGED};
use crate::sqlite::tx::Tx;
use pawl_core::{Millis, RunNo};
use rusqlite::params;

const FREE: &str = "UPDATE pawl_branches SET owner = NULL, fence = fence + 1, attempt = ?3, crashes = ?4, \
    deadline_at = NULL, lost_deadline_at = ?5, due_at = ?6 WHERE run_no = ?1 AND scope = ?2";

/// How a branch comes free whose worker is gone.
#[derive(Default)]
pub struct Loss {
    /// When the attempt would have been too late.
    pub deadline_at: Option<Millis>,
    /// When it may go on.
    pub not_before: Option<Millis>,
}

/// Frees a branch: whoever believes to hold it is refused from now on.
pub fn free(tx: &Tx<'_>, row: &BranchRow, tally: Tally, loss: &Loss) -> Outcome<()> {
    let message_ready = lookups::message_ready_for(tx, row.run, &row.state.phase)?;
    let due_at = rules::put_off(rules::due_at(&row.state.phase, message_ready, tx.now), loss.not_before);
    tx.execute(
        FREE,
        params![
            row.run.0,
            row.scope.as_str(),
            tally.attempt,
            tally.crashes,
            loss.deadline_at.map(|at| at.0),
            due_at.map(|at| at.0)
        ],
    )?;
    Ok(())
}

/// Makes due now what is ready: what nobody holds and nothing but a worker is missing for. It walks over all branches, for
/// once: the clock was set back.
pub fn line_up_again(tx: &Tx<'_>) -> Outcome<()> {
    let count = tx.execute(
        "UPDATE pawl_branches SET due_at = ?1
         WHERE owner IS NULL AND due_at > ?1 AND (phase = 1 OR (phase = 4 AND due_at IS NOT phase_at))",
        [tx.now.0],
    )?;
    tracing::warn!(count, "the clock was set back; what was ready is lined up again");
    Ok(())
}

/// Puts a branch aside that cannot be understood, so that nobody stumbles over it again.
pub fn put_aside(tx: &Tx<'_>, run: RunNo, scope: &str, why: &impl std::fmt::Debug) -> Outcome<()> {
    tracing::error!(%run, scope, ?why, "a damaged branch is put aside; its run does not go on");
    tx.execute(
        "UPDATE pawl_branches SET held = ?3, owner = NULL, fence = fence + 1 WHERE run_no = ?1 AND scope = ?2",
        params![run.0, scope, DAMAGED],
    )?;
    Ok(())
}
