//! The run's own row, and what a change of it does to the branches.

use crate::rules::state_to_json;
use crate::sqlite::db::Db;
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use crate::sqlite::rows::{FREE, PAUSED};
use crate::sqlite::tx::Tx;
use pawl_core::{Millis, OpenBranches, RunId, RunNo, RunState};
use rusqlite::params;

/// The newest life of an id.
pub struct Life {
    pub run: RunNo,
    pub flow_name: String,
    pub state: RunState,
}

/// The newest life of an id.
pub fn newest_life(tx: &Tx<'_>, id: &RunId) -> Outcome<Option<Life>> {
    tx.first(
        "SELECT run_no, state, words,
                (SELECT name FROM pawl_flows WHERE pawl_flows.flow_no = pawl_runs.flow_no)
         FROM pawl_runs WHERE id = ?1 ORDER BY run_no DESC LIMIT 1",
        [id.as_str()],
        |row| {
            let run = RunNo(row.get(0)?);
            let state = lookups::state(row, 1).map_err(|fault| fault.of(format!("the run \"{id}\"")))?;
            Ok(Life { run, state, flow_name: row.get(3)? })
        },
    )
}

/// The version and the state of a run.
pub fn version_of(tx: &Tx<'_>, run: RunNo) -> Outcome<Option<i64>> {
    tx.first("SELECT version FROM pawl_runs WHERE run_no = ?1", [run.0], |row| Ok(row.get(0)?))
}

/// Sets the state of a run and does to its open branches what follows from it.
pub fn set_state(tx: &Tx<'_>, run: RunNo, state: &RunState, open: OpenBranches) -> Outcome<()> {
    let ended_at = state.is_terminal().then_some(tx.now.0);
    tx.execute(
        "UPDATE pawl_runs SET state = ?2, words = ?3, ended_at = ?4, version = version + 1 WHERE run_no = ?1",
        params![run.0, state.number(), state_to_json(state), ended_at],
    )?;
    match open {
        OpenBranches::Remove => {
            tx.forget_run(run);
            tx.execute("DELETE FROM pawl_branches WHERE run_no = ?1", [run.0])
        }
        OpenBranches::Hold => hold(tx, run, FREE, PAUSED),
        OpenBranches::Release => hold(tx, run, PAUSED, FREE),
    }?;
    Ok(())
}

fn hold(tx: &Tx<'_>, run: RunNo, from: i64, to: i64) -> Outcome<usize> {
    tx.execute("UPDATE pawl_branches SET held = ?3 WHERE run_no = ?1 AND held = ?2", params![run.0, from, to])
}

/// When the free branches of a run are due.
pub fn due_moments(db: &Db, run: RunNo) -> Outcome<Vec<Option<Millis>>> {
    db.all(
        "SELECT due_at FROM pawl_branches WHERE run_no = ?1 AND owner IS NULL AND held = 0 AND due_at IS NOT NULL",
        [run.0],
        |row| Ok(Some(Millis(row.get(0)?))),
    )
}
