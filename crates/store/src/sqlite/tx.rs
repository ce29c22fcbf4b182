//! A write transaction as the single operations see it: statements, the moment, and what is known without asking.

use super::db::Db;
use super::fault::{Fault, Outcome};
use super::rows::text;
use pawl_core::{FlowHash, Millis, RunId, RunNo, SessionNo};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

/// How many runs are remembered. Enough for every run in flight; the rest is one lookup away.
const RUNS_REMEMBERED_MAX: usize = 16_384;

/// An open write transaction.
pub(super) struct Tx<'a> {
    db: &'a Db,
    memory: &'a Memory,
    /// The moment at which all of it happens.
    pub now: Millis,
    /// The session that was found alive last.
    living: Cell<Option<SessionNo>>,
}

/// What cannot change once it is written, so that it is read only once. Forgotten with every rollback.
#[derive(Default)]
pub(super) struct Memory {
    runs: RefCell<HashMap<RunNo, Arc<RunFacts>>>,
    flows: RefCell<HashMap<FlowHash, i64>>,
    hashes: RefCell<HashMap<i64, FlowHash>>,
    /// At which of its flows a session looks for work first.
    turns: RefCell<HashMap<SessionNo, usize>>,
}

/// What a claim needs of a run.
#[derive(Clone, Debug)]
pub(super) struct RunFacts {
    pub id: RunId,
    pub flow: FlowHash,
    pub deadline_at: Option<Millis>,
}

impl Memory {
    pub fn forget(&mut self) {
        *self = Memory { turns: std::mem::take(&mut self.turns), ..Memory::default() };
    }
}

impl Deref for Tx<'_> {
    type Target = Db;

    fn deref(&self) -> &Db {
        self.db
    }
}

impl<'a> Tx<'a> {
    pub fn new(db: &'a Db, memory: &'a Memory, now: Millis) -> Tx<'a> {
        Tx { db, memory, now, living: Cell::new(None) }
    }

    /// Whether nobody has ended this session. One whose time is over lives until it is reaped.
    pub fn lives(&self, session: SessionNo) -> Outcome<bool> {
        if self.living.get() == Some(session) {
            return Ok(true);
        }
        let lives = self.first("SELECT 1 FROM pawl_sessions WHERE session_no = ?1", [session.0], |_| Ok(()))?.is_some();
        self.living.set(lives.then_some(session));
        Ok(lives)
    }

    /// What a commit may keep: nothing for a session that is gone, for nobody would ever take it back.
    pub fn living(&self, keep: Option<(SessionNo, usize)>) -> Outcome<Option<(SessionNo, usize)>> {
        match keep {
            Some((session, _)) if !self.lives(session)? => Ok(None),
            keep => Ok(keep),
        }
    }

    /// Removes a session. Whatever it held must be free by then.
    pub fn end_session(&self, session: SessionNo) -> Outcome<()> {
        self.living.set(None);
        self.memory.turns.borrow_mut().remove(&session);
        self.execute("DELETE FROM pawl_sessions WHERE session_no = ?1", [session.0])?;
        Ok(())
    }

    /// At which of its flows a session looks for work first.
    pub fn turn(&self, session: SessionNo) -> usize {
        self.memory.turns.borrow().get(&session).copied().unwrap_or(0)
    }

    pub fn set_turn(&self, session: SessionNo, turn: usize) {
        self.memory.turns.borrow_mut().insert(session, turn);
    }

    /// The number of a registered flow.
    pub fn flow_no(&self, hash: &FlowHash) -> Outcome<Option<i64>> {
        if let Some(flow_no) = self.memory.flows.borrow().get(hash) {
            return Ok(Some(*flow_no));
        }
        let flow_no =
            self.first("SELECT flow_no FROM pawl_flows WHERE hash = ?1", [hash.as_str()], |row| Ok(row.get(0)?))?;
        if let Some(flow_no) = flow_no {
            self.memory.flows.borrow_mut().insert(hash.clone(), flow_no);
        }
        Ok(flow_no)
    }

    /// The hash of the flow with this number.
    fn flow_hash(&self, flow_no: i64) -> Outcome<FlowHash> {
        if let Some(hash) = self.memory.hashes.borrow().get(&flow_no) {
            return Ok(hash.clone());
        }
        let hash = self
            .first("SELECT hash FROM pawl_flows WHERE flow_no = ?1", [flow_no], |row| Ok(FlowHash(text(row, 0)?)))?
            .ok_or_else(|| Fault::Damaged(format!("flow number {flow_no} is missing")))?;
        self.memory.hashes.borrow_mut().insert(flow_no, hash.clone());
        Ok(hash)
    }

    /// What a claim needs of a run.
    pub fn facts(&self, run: RunNo) -> Outcome<Arc<RunFacts>> {
        if let Some(facts) = self.memory.runs.borrow().get(&run) {
            return Ok(facts.clone());
        }
        let (id, flow_no, deadline_at) = self
            .first("SELECT id, flow_no, deadline_at FROM pawl_runs WHERE run_no = ?1", [run.0], |row| {
                Ok((RunId(text(row, 0)?), row.get(1)?, row.get::<_, Option<i64>>(2)?))
            })?
            .ok_or_else(|| Fault::Damaged(format!("run number {run} is missing")))?;
        let facts = RunFacts { id, flow: self.flow_hash(flow_no)?, deadline_at: deadline_at.map(Millis) };
        Ok(self.remember(run, facts))
    }

    /// Keeps the facts of a run that was just written or read.
    pub fn remember(&self, run: RunNo, facts: RunFacts) -> Arc<RunFacts> {
        let facts = Arc::new(facts);
        let mut runs = self.memory.runs.borrow_mut();
        if runs.len() >= RUNS_REMEMBERED_MAX {
            runs.clear();
        }
        runs.insert(run, facts.clone());
        facts
    }

    /// A run that is over is not asked for again.
    pub fn forget_run(&self, run: RunNo) {
        self.memory.runs.borrow_mut().remove(&run);
    }
}
