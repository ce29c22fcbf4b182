//! Handing out due work.

use super::branches;
use crate::sqlite::fault::{Fault, Outcome};
use crate::sqlite::lookups;
use crate::sqlite::rows::{BranchRow, branch_columns, text};
use crate::sqlite::tx::Tx;
use crate::{ClaimAsk, ClaimFilter, Claims};
use pawl_core::turn::Claimed;
use pawl_core::{FlowHash, Millis, RunNo, Scope, SessionNo};
use rusqlite::{Row, params};
use std::collections::VecDeque;

pub const DUE_OF_FLOW: &str = "SELECT run_no, scope FROM pawl_branches \
    WHERE flow_no = ?1 AND owner IS NULL AND held = 0 AND due_at IS NOT NULL AND due_at <= ?2 ORDER BY due_at LIMIT ?3";
pub const NEXT_OF_FLOW: &str = "SELECT due_at FROM pawl_branches \
    WHERE flow_no = ?1 AND owner IS NULL AND held = 0 AND due_at IS NOT NULL AND due_at > ?2 ORDER BY due_at LIMIT 1";
// The plus signs keep SQLite on the primary key: there are few branches in one run and many due ones in the store.
pub const DUE_OF_RUN: &str = "SELECT run_no, scope FROM pawl_branches \
    WHERE run_no = ?1 AND +owner IS NULL AND held = 0 AND +due_at <= ?2 ORDER BY +due_at LIMIT ?3";
pub const NEXT_OF_RUN: &str = "SELECT min(due_at) FROM pawl_branches \
    WHERE run_no = ?1 AND +owner IS NULL AND held = 0 AND +due_at > ?2";

const GRANT: &str = concat!(
    "UPDATE pawl_branches SET owner = ?3, fence = fence + 1, attempt = attempt + 1, deadline_at = ?4 + timeout_ms \
     WHERE run_no = ?1 AND scope = ?2 RETURNING ",
    branch_columns!()
);

type Key = (RunNo, Scope);

pub fn claim(tx: &Tx<'_>, ask: &ClaimAsk) -> Outcome<Claims> {
    // Who is gone gets nothing: nobody would ever take it back.
    let due = if ask.limit > 0 && tx.lives(ask.session)? { due(tx, ask)? } else { Vec::new() };
    let mut claimed = Vec::with_capacity(due.len());
    for key in due {
        claimed.extend(grant(tx, ask.session, key)?);
    }
    Ok(Claims { claimed, next_due_at: next_due_at(tx, &ask.filter)? })
}

fn due(tx: &Tx<'_>, ask: &ClaimAsk) -> Outcome<Vec<Key>> {
    let limit = i64::try_from(ask.limit).unwrap_or(i64::MAX);
    match &ask.filter {
        ClaimFilter::Run(run) => tx.all(DUE_OF_RUN, params![run.0, tx.now.0, limit], key),
        ClaimFilter::Flows(flows) => {
            let mut lines = Vec::with_capacity(flows.len());
            for flow in flows {
                lines.push(match tx.flow_no(flow)? {
                    Some(flow_no) => tx.all(DUE_OF_FLOW, params![flow_no, tx.now.0, limit], key)?.into(),
                    None => VecDeque::new(),
                });
            }
            Ok(take_turns(tx, ask.session, lines, ask.limit))
        }
    }
}

fn key(row: &Row<'_>) -> Outcome<Key> {
    Ok((RunNo(row.get(0)?), Scope(text(row, 1)?)))
}

/// One of each line in turn. Where a session stopped it goes on at its next claim, so a long line starves no other, even
/// when one branch is asked for at a time.
fn take_turns(tx: &Tx<'_>, session: SessionNo, mut lines: Vec<VecDeque<Key>>, limit: usize) -> Vec<Key> {
    let mut taken = Vec::new();
    let mut turn = tx.turn(session);
    let mut passed_over = 0;
    while taken.len() < limit && passed_over < lines.len() {
        let at = turn % lines.len();
        turn = at + 1;
        match lines[at].pop_front() {
            Some(key) => {
                taken.push(key);
                tx.set_turn(session, turn);
                passed_over = 0;
            }
            None => passed_over += 1,
        }
    }
    taken
}

/// Gives a branch to a session; `None` if its row is damaged.
fn grant(tx: &Tx<'_>, session: SessionNo, (run, scope): Key) -> Outcome<Option<Claimed>> {
    match try_grant(tx, session, run, &scope) {
        Err(fault) if fault.is_damage() => branches::put_aside(tx, run, scope.as_str(), &fault).map(|()| None),
        granted => granted.map(Some),
    }
}

fn try_grant(tx: &Tx<'_>, session: SessionNo, run: RunNo, scope: &Scope) -> Outcome<Claimed> {
    let facts = tx.facts(run)?;
    let row = tx
        .first(GRANT, params![run.0, scope.as_str(), session.0, tx.now.0], |row| BranchRow::read(run, row))?
        .ok_or_else(|| Fault::Damaged(format!("the branch \"{scope}\" of run number {run} is in an index only")))?;
    lookups::claimed(tx, row, &facts)
}

fn next_due_at(tx: &Tx<'_>, filter: &ClaimFilter) -> Outcome<Option<Millis>> {
    match filter {
        ClaimFilter::Run(run) => {
            Ok(tx.first(NEXT_OF_RUN, params![run.0, tx.now.0], |row| Ok(row.get(0)?))?.flatten().map(Millis))
        }
        ClaimFilter::Flows(flows) => {
            let mut next = None;
            for flow in flows {
                next = earlier(next, next_of_flow(tx, flow)?);
            }
            Ok(next)
        }
    }
}

fn next_of_flow(tx: &Tx<'_>, flow: &FlowHash) -> Outcome<Option<Millis>> {
    let Some(flow_no) = tx.flow_no(flow)? else { return Ok(None) };
    tx.first(NEXT_OF_FLOW, params![flow_no, tx.now.0], |row| Ok(Millis(row.get(0)?)))
}

fn earlier(a: Option<Millis>, b: Option<Millis>) -> Option<Millis> {
    a.into_iter().chain(b).min()
}
