//! All that is recorded about a run.

use crate::rules::failure_from_json;
use crate::sqlite::db::Db;
use crate::sqlite::fault::{Fault, Outcome};
use crate::sqlite::rows::{optional_text, text};
use crate::{HistoryRecord, ResultRecord};
use pawl_core::{HistoryEvent, HistoryKind, Millis, Path, RunNo};
use rusqlite::Row;

/// A line and its place: an event comes after the result that was the newest when it was recorded.
type Placed = ((i64, i64), HistoryRecord);

pub fn history(db: &Db, run: RunNo) -> Outcome<Vec<HistoryRecord>> {
    let mut lines = db.snapshot(|db| {
        let mut lines = db.all(
            "SELECT result_no, recorded_at, path, attempt FROM pawl_results WHERE run_no = ?1",
            [run.0],
            result,
        )?;
        lines.extend(db.all(
            "SELECT after_result, event_no, recorded_at, kind, path, failure, detail FROM pawl_events WHERE run_no = ?1",
            [run.0],
            event,
        )?);
        Ok(lines)
    })
    .map_err(|fault| fault.of(format!("the history of run number {run}")))?;
    lines.sort_by_key(|(place, _)| *place);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

fn result(row: &Row<'_>) -> Outcome<Placed> {
    let entry = ResultRecord::Result { path: Path(text(row, 2)?), attempt: row.get(3)? };
    Ok(((row.get(0)?, 0), HistoryRecord { at: Millis(row.get(1)?), entry }))
}

fn event(row: &Row<'_>) -> Outcome<Placed> {
    let number: u8 = row.get(3)?;
    let kind = HistoryKind::from_number(number)
        .ok_or_else(|| Fault::Damaged(format!("an event is of kind {number}, which does not exist")))?;
    let failure = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let event = HistoryEvent {
        kind,
        path: optional_text(row, 4)?.map(Path),
        failure: failure.map(failure_from_json).transpose()?,
        detail: row.get(6)?,
    };
    let at = Millis(row.get(2)?);
    Ok(((row.get(0)?, row.get(1)?), HistoryRecord { at, entry: ResultRecord::Event(event) }))
}
