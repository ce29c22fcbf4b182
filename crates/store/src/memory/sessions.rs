//! Who works here, until when, and what they hold.

use super::world::World;
use crate::rules::{Apart, counts_as_attempt, lost_event};
use crate::{HandBack, Reaped, SessionSpec};
use pawl_core::turn::Claimed;
use pawl_core::{Millis, RunNo, Scope, SessionNo};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Sessions {
    by_number: HashMap<SessionNo, Session>,
    opened: i64,
}

struct Session {
    worker: Arc<str>,
    expires_at: Millis,
    holds: HashSet<(RunNo, Scope)>,
    /// At which of its flows it looks for work first.
    turn: usize,
}

impl Sessions {
    /// Whether nobody has ended it. A session whose time is over lives until it is reaped.
    pub fn lives(&self, session: SessionNo) -> bool {
        self.by_number.contains_key(&session)
    }

    pub fn worker(&self, session: SessionNo) -> Option<&str> {
        self.by_number.get(&session).map(|session| &*session.worker)
    }

    pub fn turn(&mut self, session: SessionNo) -> Option<&mut usize> {
        self.by_number.get_mut(&session).map(|session| &mut session.turn)
    }

    pub fn hold(&mut self, session: SessionNo, run: RunNo, scope: &Scope) {
        if let Some(session) = self.by_number.get_mut(&session) {
            session.holds.insert((run, scope.clone()));
        }
    }

    pub fn let_go(&mut self, session: SessionNo, run: RunNo, scope: &Scope) {
        if let Some(session) = self.by_number.get_mut(&session) {
            session.holds.remove(&(run, scope.clone()));
        }
    }

    fn end(&mut self, session: SessionNo) -> Option<Session> {
        self.by_number.remove(&session)
    }
}

impl World {
    pub fn open_session(&mut self, spec: SessionSpec, now: Millis) -> SessionNo {
        self.sessions.opened += 1;
        let number = SessionNo(self.sessions.opened);
        let (worker, expires_at) = (spec.worker.into(), now.plus(spec.ttl_ms));
        self.sessions.by_number.insert(number, Session { worker, expires_at, holds: HashSet::new(), turn: 0 });
        number
    }

    pub fn heartbeat(&mut self, session: SessionNo, expires_at: Millis) -> bool {
        match self.sessions.by_number.get_mut(&session) {
            Some(session) => {
                session.expires_at = expires_at;
                true
            }
            None => false,
        }
    }

    pub fn reap(&mut self, now: Millis) -> Reaped {
        let sessions = &self.sessions.by_number;
        let mut over: Vec<SessionNo> =
            sessions.iter().filter(|(_, session)| session.expires_at <= now).map(|(number, _)| *number).collect();
        over.sort();
        let mut freed = 0;
        for number in over {
            let Some(session) = self.sessions.end(number) else { continue };
            let mut apart = Apart::new(now);
            for (run, scope) in in_order(session.holds) {
                self.lose(run, &scope, &session.worker, &mut apart, now);
                freed += 1;
            }
        }
        let next_expiry_at = self.sessions.by_number.values().map(|session| session.expires_at).min();
        Reaped { freed, next_expiry_at }
    }

    pub fn held(&self, session: SessionNo) -> Vec<Claimed> {
        let Some(session) = self.sessions.by_number.get(&session) else { return Vec::new() };
        let holds = in_order(session.holds.clone());
        holds.iter().filter_map(|(run, scope)| self.runs.get(*run)?.claimed(scope)).collect()
    }

    pub fn close_session(&mut self, session: SessionNo, now: Millis) {
        let Some(session) = self.sessions.end(session) else { return };
        for (run, scope) in in_order(session.holds) {
            let fence = self.runs.get(run).and_then(|run| run.branches.get(&scope)).map(|branch| branch.fence);
            if let Some(fence) = fence {
                self.hand_back(&HandBack { run, scope, fence, started: false }, now);
            }
        }
    }

    /// Frees a branch whose worker is gone.
    fn lose(&mut self, number: RunNo, scope: &Scope, worker: &str, apart: &mut Apart, now: Millis) {
        let Some(run) = self.runs.get_mut(number) else { return };
        let Some(branch) = run.branches.get_mut(scope) else { return };
        let event = counts_as_attempt(&branch.state.phase).then(|| lost_event(&branch.state, branch.tally, worker));
        branch.tally = branch.tally.lost(&branch.state.phase);
        let deadline_at = branch.deadline_at;
        let not_before = apart.not_before(number, branch.tally.crashes);
        branch.free();
        branch.lost_deadline_at = deadline_at;
        if let Some(event) = event {
            run.note(event, now);
        }
        run.reckon(scope, now);
        run.put_off(scope, not_before);
        self.queue.enter(run, scope);
    }
}

fn in_order(holds: HashSet<(RunNo, Scope)>) -> Vec<(RunNo, Scope)> {
    let mut holds: Vec<(RunNo, Scope)> = holds.into_iter().collect();
    holds.sort();
    holds
}
