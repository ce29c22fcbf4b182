//! What is told of a run: its results and what else happened, in the order of recording.

use crate::rules::failure_to_json;
use crate::sqlite::fault::Outcome;
use crate::sqlite::tx::Tx;
use pawl_core::{HistoryEvent, Path, Payload, RunNo};
use rusqlite::params;

/// Records a result. `false`: this path has one already, and keeps it.
pub fn record(tx: &Tx<'_>, run: RunNo, path: &Path, attempt: u32, payload: &Payload) -> Outcome<bool> {
    let written = tx.execute(
        "INSERT INTO pawl_results (run_no, path, attempt, recorded_at, codec, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (run_no, path) DO NOTHING",
        params![run.0, path.as_str(), attempt, tx.now.0, payload.codec, &payload.bytes[..]],
    )?;
    Ok(written == 1)
}

/// Adds lines to the history.
pub fn note<'a>(tx: &Tx<'_>, run: RunNo, events: impl IntoIterator<Item = &'a HistoryEvent>) -> Outcome<()> {
    for event in events {
        tx.execute(
            "INSERT INTO pawl_events (run_no, after_result, recorded_at, kind, path, failure, detail)
             VALUES (?1, (SELECT coalesce(max(result_no), 0) FROM pawl_results), ?2, ?3, ?4, ?5, ?6)",
            params![
                run.0,
                tx.now.0,
                event.kind as u8,
                event.path.as_ref().map(Path::as_str),
                event.failure.as_ref().map(failure_to_json),
                event.detail
            ],
        )?;
    }
    Ok(())
}
