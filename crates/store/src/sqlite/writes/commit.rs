//! Turns: the guard, the results, the change, all or nothing.

use super::branches;
use super::history::{note, record};
use super::messages::{self, Unread};
use super::run_state::{due_moments, set_state, version_of};
use super::seat::Seat;
use crate::rules::{Handing, Tally, result_attempt};
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use crate::sqlite::rows::{BranchRow, FREE};
use crate::sqlite::tx::{RunFacts, Tx};
use crate::{Committed, Refused};
use pawl_core::turn::Claimed;
use pawl_core::{
    BranchCommit, BranchState, Change, Commit, Fence, NewBranch, OpenBranches, Path, Payload, Phase, ResultWrite,
    RunCommit, RunNo, Scope, Value,
};
use rusqlite::params;

type Answered = Result<Committed, Refused>;

pub fn commit(tx: &Tx<'_>, commits: &[Commit]) -> Outcome<Vec<Answered>> {
    commits.iter().map(|commit| commit_one(tx, commit)).collect()
}

fn commit_one(tx: &Tx<'_>, commit: &Commit) -> Outcome<Answered> {
    match commit {
        Commit::Run(commit) => commit_run(tx, commit),
        Commit::Branch(commit) => match commit_branch(tx, commit) {
            Err(fault) if fault.is_damage() => {
                branches::put_aside(tx, commit.run, commit.scope.as_str(), &fault)?;
                Ok(Err(Refused::StaleFence))
            }
            done => done,
        },
    }
}

/// Most turns know before their first write whether they will be refused. Those that write several rows which may be
/// taken find out on the way, and undo what they wrote.
fn commit_branch(tx: &Tx<'_>, commit: &BranchCommit) -> Outcome<Answered> {
    let writes_many = matches!(commit.decision.change, Change::Fork { .. }) || commit.decision.results.len() > 1;
    if writes_many { tx.or_undo(|| turn(tx, commit)) } else { turn(tx, commit) }
}

fn turn(tx: &Tx<'_>, commit: &BranchCommit) -> Outcome<Answered> {
    let BranchCommit { run, scope, fence, decision, keep } = commit;
    let row = lookups::branch(tx, *run, scope)?.filter(|row| row.fence == *fence && row.owner.is_some());
    let Some(row) = row else { return Ok(Err(Refused::StaleFence)) };
    let join = match &decision.change {
        Change::Arrive { at, .. } => match waiting(tx, *run, at)? {
            None => return Ok(Err(Refused::StaleFence)),
            join => join,
        },
        _ => None,
    };
    let values = match read_values(tx, *run, &decision.results)? {
        Ok(values) => values,
        Err(refused) => return Ok(Err(refused)),
    };
    let facts = tx.facts(*run)?;
    let keep = tx.living(*keep)?;

    for (result, read) in decision.results.iter().zip(&values) {
        let attempt = result_attempt(&result.value, &row.state.phase, row.tally);
        if !record(tx, *run, &result.path, attempt, read.payload())? {
            return Ok(Err(Refused::StaleFence));
        }
        if let Read::Message(message) = read {
            messages::take(tx, message)?;
        }
    }
    note(tx, *run, &decision.events)?;

    let held = join.as_ref().map_or(row.held, |join| join.join.held) != FREE;
    let mut hands = Hands {
        tx,
        facts: &facts,
        written: &decision.results,
        handing: Handing::new(keep, held, tx.now),
        kept: Vec::new(),
    };
    let fits = match &decision.change {
        Change::Move(state) => hands.shift(&row, state.clone()).map(|()| true),
        Change::Fork { joining, branches } => hands.fork(&row, joining, branches),
        Change::Arrive { last, .. } => hands.arrive(&row, join, last).map(|()| true),
        Change::End(state) => set_state(tx, *run, state, OpenBranches::Remove).map(|()| true),
    }?;
    if !fits {
        return Ok(Err(Refused::StaleFence));
    }
    let ended = matches!(decision.change, Change::End(_));
    Ok(Ok(hands.handing.committed(hands.kept, ended)))
}

/// A branch that waits on a fork.
struct Waiting {
    join: BranchRow,
    missing: u32,
}

fn waiting(tx: &Tx<'_>, run: RunNo, at: &Scope) -> Outcome<Option<Waiting>> {
    let join = lookups::branch(tx, run, at)?;
    Ok(join.and_then(|join| match join.state.phase {
        Phase::Joining { missing: missing @ 1.. } => Some(Waiting { join, missing }),
        _ => None,
    }))
}

/// A value to record, read but not taken.
enum Read<'a> {
    Here(&'a Payload),
    Copy(Payload),
    Message(Unread),
}

impl Read<'_> {
    fn payload(&self) -> &Payload {
        match self {
            Read::Here(payload) => payload,
            Read::Copy(payload) => payload,
            Read::Message(message) => &message.payload,
        }
    }
}

fn read_values<'a>(tx: &Tx<'_>, run: RunNo, results: &'a [ResultWrite]) -> Outcome<Result<Vec<Read<'a>>, Refused>> {
    let mut values = Vec::with_capacity(results.len());
    for (at, ResultWrite { value, .. }) in results.iter().enumerate() {
        values.push(match value {
            Value::New(payload) => Read::Here(payload),
            Value::CopyOf(path) => match lookups::result(tx, run, path)? {
                Some(payload) => Read::Copy(payload),
                None => return Ok(Err(Refused::StaleFence)),
            },
            Value::Signal(name) => {
                let read_before = results[..at].iter().filter(|write| write.value == *value).count();
                match messages::nth_unread(tx, run, name, read_before)? {
                    Some(message) => Read::Message(message),
                    None => return Ok(Err(Refused::SignalTaken)),
                }
            }
        });
    }
    Ok(Ok(values))
}

/// Moves branches and sorts out who gets them.
struct Hands<'a> {
    tx: &'a Tx<'a>,
    facts: &'a RunFacts,
    /// What this very commit records: the caller has these values.
    written: &'a [ResultWrite],
    handing: Handing,
    kept: Vec<Claimed>,
}

impl Hands<'_> {
    /// Moves a stored branch.
    fn shift(&mut self, from: &BranchRow, state: BranchState) -> Outcome<()> {
        let tally = from.tally.moved(&from.state, &state);
        let seat = Seat::find(self.tx, from.run, state, tally, from.fence.next(), &mut self.handing)?;
        seat.update(self.tx, from)?;
        self.keep(seat, from.run, &from.scope)
    }

    /// `false`: one of the branches exists already.
    fn fork(&mut self, from: &BranchRow, joining: &BranchState, branches: &[NewBranch]) -> Outcome<bool> {
        self.shift(from, joining.clone())?;
        for NewBranch { scope, state } in branches {
            let seat = Seat::find(self.tx, from.run, state.clone(), Tally::default(), Fence(0), &mut self.handing)?;
            if !seat.insert(self.tx, from.run, scope, from.flow_no, from.held)? {
                return Ok(false);
            }
            self.keep(seat, from.run, scope)?;
        }
        Ok(true)
    }

    fn arrive(&mut self, row: &BranchRow, at: Option<Waiting>, last: &BranchState) -> Outcome<()> {
        self.tx.execute(
            "DELETE FROM pawl_branches WHERE run_no = ?1 AND scope = ?2",
            params![row.run.0, row.scope.as_str()],
        )?;
        match at {
            Some(Waiting { join, missing: 1 }) => self.shift(&join, last.clone()),
            Some(Waiting { join, .. }) => {
                self.tx.execute(
                    "UPDATE pawl_branches SET missing = missing - 1 WHERE run_no = ?1 AND scope = ?2",
                    params![join.run.0, join.scope.as_str()],
                )?;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn keep(&mut self, seat: Seat, run: RunNo, scope: &Scope) -> Outcome<()> {
        let fetch = |path: &Path| match self.written.iter().find(|write| write.path == *path) {
            Some(ResultWrite { value: Value::New(_), .. }) => Ok(None),
            _ => match lookups::result(self.tx, run, path) {
                // The turn itself is sound, and half of it is written. Whoever wants this value meets the damage.
                Err(fault) if fault.is_damage() => {
                    tracing::error!(%run, %path, ?fault, "a result cannot be read");
                    Ok(None)
                }
                found => found,
            },
        };
        self.kept.extend(seat.claim(run, scope, self.facts, fetch)?);
        Ok(())
    }
}

fn commit_run(tx: &Tx<'_>, commit: &RunCommit) -> Outcome<Answered> {
    let RunCommit { run, expected_version, state, open, events } = commit;
    if version_of(tx, *run)? != Some(*expected_version) {
        return Ok(Err(Refused::VersionMoved));
    }
    note(tx, *run, events)?;
    set_state(tx, *run, state, *open)?;
    let mut handing = Handing::new(None, *open != OpenBranches::Release, tx.now);
    if *open == OpenBranches::Release {
        for due_at in due_moments(tx, *run)? {
            handing.owner_of(due_at);
        }
    }
    Ok(Ok(handing.committed(Vec::new(), state.is_terminal())))
}
