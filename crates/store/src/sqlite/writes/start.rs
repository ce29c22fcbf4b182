//! New runs, and the decision about an id that is in use.

use super::history::{note, record};
use super::run_state::{Life, newest_life, set_state};
use super::seat::Seat;
use crate::rules::{Handing, Tally, replaced};
use crate::sqlite::fault::{Fault, Outcome};
use crate::sqlite::rows::FREE;
use crate::sqlite::tx::{RunFacts, Tx};
use crate::{NewRun, OnConflict, StartRefusal, Started, StoreError};
use pawl_core::{ErrorCode, Fence, OpenBranches, Path, RunNo, RunState, Scope};
use rusqlite::params;

type Answered = Result<Started, StartRefusal>;

pub fn start(tx: &Tx<'_>, runs: &[NewRun]) -> Outcome<Vec<Answered>> {
    runs.iter().map(|new| start_one(tx, new)).collect()
}

fn start_one(tx: &Tx<'_>, new: &NewRun) -> Outcome<Answered> {
    let Some(flow_no) = tx.flow_no(&new.flow)? else { return Ok(Err(StartRefusal::FlowUnknown)) };
    let mut replaced = None;
    if let Some(existing) = newest_life(tx, &new.id)? {
        match conflict(tx, &existing, new, flow_no)? {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(Room::Taken) => return Ok(Ok(Started::Existing { run: existing.run })),
            Ok(Room::Made) => replaced = end_older_life(tx, &existing)?,
        }
    }
    begin(tx, new, flow_no, replaced).map(Ok)
}

/// Whether the id of a new run is free for it.
enum Room {
    Taken,
    Made,
}

fn conflict(tx: &Tx<'_>, existing: &Life, new: &NewRun, flow_no: i64) -> Outcome<Result<Room, StartRefusal>> {
    let flow_name = tx
        .first("SELECT name FROM pawl_flows WHERE flow_no = ?1", [flow_no], |row| Ok(row.get::<_, String>(0)?))?
        .ok_or_else(|| Fault::Damaged(format!("flow number {flow_no} is missing")))?;
    if existing.flow_name != flow_name {
        return Ok(Err(StartRefusal::OtherFlow { flow: existing.flow_name.clone() }));
    }
    Ok(match new.on_conflict {
        OnConflict::Fail => Err(StartRefusal::Exists { state: existing.state.clone() }),
        OnConflict::UseExisting => Ok(Room::Taken),
        OnConflict::TerminateExisting => Ok(Room::Made),
    })
}

/// Ends the older life of an id; `None` if it is over already.
fn end_older_life(tx: &Tx<'_>, existing: &Life) -> Outcome<Option<RunNo>> {
    let Some((state, event)) = replaced(&existing.state) else { return Ok(None) };
    note(tx, existing.run, &[event])?;
    set_state(tx, existing.run, &state, OpenBranches::Remove)?;
    Ok(Some(existing.run))
}

fn begin(tx: &Tx<'_>, new: &NewRun, flow_no: i64, replaced: Option<RunNo>) -> Outcome<Started> {
    let run = RunNo(tx.insert(
        "INSERT INTO pawl_runs (id, flow_no, state, version, created_at, deadline_at) VALUES (?1, ?2, ?3, 1, ?4, ?5)",
        params![new.id.as_str(), flow_no, RunState::Running.number(), tx.now.0, new.deadline_at.map(|at| at.0)],
    )?);
    record(tx, run, &Path::run_input(), 0, &new.input)?;
    let facts = RunFacts { id: new.id.clone(), flow: new.flow.clone(), deadline_at: new.deadline_at };
    let facts = tx.remember(run, facts);
    let mut handing = Handing::new(tx.living(new.keep)?, false, tx.now);
    let mut kept = Vec::new();
    for branch in &new.branches {
        let seat = Seat::find(tx, run, branch.state.clone(), Tally::default(), Fence(0), &mut handing)?;
        if !seat.insert(tx, run, &branch.scope, flow_no, FREE)? {
            return Err(Fault::Store(twice(&branch.scope)));
        }
        let input = |path: &Path| Ok(path.is_run_input().then(|| new.input.clone()));
        kept.extend(seat.claim(run, &branch.scope, &facts, input)?);
    }
    Ok(Started::New { run, kept, replaced })
}

fn twice(scope: &Scope) -> StoreError {
    let message = format!("A run cannot begin with two branches in the scope \"{scope}\". This is a fault in pawl");
    StoreError { code: ErrorCode::Internal, message, passing: false }
}
