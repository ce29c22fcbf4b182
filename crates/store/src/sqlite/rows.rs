//! A branch as a row. The numbers and columns are a stored format: docs/formats/sqlite.md.

use super::fault::{Fault, Outcome};
use crate::rules::Tally;
use pawl_core::{BranchState, Fence, Millis, Path, Phase, RunNo, Scope, SessionNo};
use rusqlite::Row;
use std::sync::Arc;

/// The columns that [`BranchRow::read`] expects, in its order.
macro_rules! branch_columns {
    () => {
        "scope, flow_no, node, phase, phase_at, signal, missing, input, failures, timeout_ms, attempt, crashes, fence, \
         owner, deadline_at, lost_deadline_at, due_at, held"
    };
}
pub(super) use branch_columns;

/// Nobody holds the branch back.
pub(super) const FREE: i64 = 0;
/// The run is paused.
pub(super) const PAUSED: i64 = 1;
/// The row cannot be understood. It is not handed out, so that it harms no other run.
pub(super) const DAMAGED: i64 = 2;

/// A stored branch.
#[derive(Debug)]
pub(super) struct BranchRow {
    pub run: RunNo,
    pub scope: Scope,
    pub flow_no: i64,
    pub state: BranchState,
    pub tally: Tally,
    pub fence: Fence,
    pub owner: Option<SessionNo>,
    pub deadline_at: Option<Millis>,
    pub lost_deadline_at: Option<Millis>,
    pub due_at: Option<Millis>,
    pub held: i64,
}

impl BranchRow {
    /// Reads [`branch_columns`], which begin at column 0.
    pub fn read(run: RunNo, row: &Row<'_>) -> Outcome<BranchRow> {
        BranchRow::columns(run, row).map_err(|fault| fault.of(format!("an open branch of run number {run}")))
    }

    fn columns(run: RunNo, row: &Row<'_>) -> Outcome<BranchRow> {
        Ok(BranchRow {
            run,
            scope: Scope(text(row, 0)?),
            flow_no: row.get(1)?,
            state: state(row)?,
            tally: Tally { attempt: row.get(10)?, crashes: row.get(11)? },
            fence: Fence(row.get(12)?),
            owner: row.get::<_, Option<i64>>(13)?.map(SessionNo),
            deadline_at: millis(row, 14)?,
            lost_deadline_at: millis(row, 15)?,
            due_at: millis(row, 16)?,
            held: row.get(17)?,
        })
    }
}

fn state(row: &Row<'_>) -> Outcome<BranchState> {
    Ok(BranchState {
        node: Path(text(row, 2)?),
        phase: phase(row)?,
        input: optional_text(row, 7)?.map(Path),
        failures: row.get(8)?,
        timeout_ms: row.get(9)?,
    })
}

fn phase(row: &Row<'_>) -> Outcome<Phase> {
    let number: i64 = row.get(3)?;
    let (at, signal, missing) = (millis(row, 4)?, optional_text(row, 5)?, row.get::<_, Option<u32>>(6)?);
    match (number, at, signal, missing) {
        (1, ..) => Ok(Phase::Ready),
        (2, Some(retry_at), ..) => Ok(Phase::Backoff { retry_at }),
        (3, Some(wake_at), ..) => Ok(Phase::Sleeping { wake_at }),
        (4, timeout_at, Some(signal), _) => Ok(Phase::Awaiting { signal, timeout_at }),
        (5, .., Some(missing)) => Ok(Phase::Joining { missing }),
        (6, Some(at), ..) => Ok(Phase::Deadline { at }),
        _ => Err(Fault::Damaged(format!("phase {number} does not exist or lacks what belongs to it"))),
    }
}

/// A phase as the columns phase, phase_at, signal and missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PhaseColumns<'a> {
    pub number: i64,
    pub at: Option<i64>,
    pub signal: Option<&'a str>,
    pub missing: Option<u32>,
}

impl<'a> From<&'a Phase> for PhaseColumns<'a> {
    fn from(phase: &'a Phase) -> Self {
        let columns =
            |number, at: Option<Millis>| PhaseColumns { number, at: at.map(|at| at.0), signal: None, missing: None };
        match phase {
            Phase::Ready => columns(1, None),
            Phase::Backoff { retry_at } => columns(2, Some(*retry_at)),
            Phase::Sleeping { wake_at } => columns(3, Some(*wake_at)),
            Phase::Awaiting { signal, timeout_at } => PhaseColumns { signal: Some(signal), ..columns(4, *timeout_at) },
            Phase::Joining { missing } => PhaseColumns { missing: Some(*missing), ..columns(5, None) },
            Phase::Deadline { at } => columns(6, Some(*at)),
        }
    }
}

/// A moment in a column.
pub(super) fn millis(row: &Row<'_>, column: usize) -> Outcome<Option<Millis>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Millis))
}

/// A text in a column, in one copy.
pub(super) fn text(row: &Row<'_>, column: usize) -> Outcome<Arc<str>> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?.into())
}

/// A text in a column that may be empty.
pub(super) fn optional_text(row: &Row<'_>, column: usize) -> Outcome<Option<Arc<str>>> {
    Ok(row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?.map(Arc::from))
}
