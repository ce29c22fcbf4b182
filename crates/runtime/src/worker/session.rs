//! The session under which a worker holds its claims, and what happens when it is lost.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use super::lease::{Lease, LeaseNews, Loss};
use crate::event::WorkerEvent;
use crate::executor::AbortReason;
use pawl_core::{ErrorCode, SessionNo};
use pawl_store::{SessionSpec, StoreError};
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// How often an executor that blocked for longer than a lease is looked at.
const BLOCKED_LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Under which session claims are made.
pub(super) enum Session {
    /// None: nothing is held and nothing is claimed until a new one is open.
    None,
    /// This one; its lease is kept by a task of its own.
    Open { no: SessionNo, lease: LeaseTask },
}

/// Ends with its session.
pub(super) struct LeaseTask(AbortHandle);

impl Drop for LeaseTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Session {
    pub fn no(&self) -> Option<SessionNo> {
        match self {
            Session::None => None,
            Session::Open { no, .. } => Some(*no),
        }
    }
}

impl Dispatcher {
    /// Asks for a session where there is none.
    pub fn begin_session(&mut self) {
        self.look_at_executor();
        let wanted = matches!(self.session, Session::None) && self.stopping.is_none() && !self.blocked;
        if !wanted || self.calls.open || !self.outage.may_ask(Instant::now()) {
            return;
        }
        self.calls.open = true;
        let asked = Instant::now();
        let spec = SessionSpec { worker: self.options.name.clone(), ttl_ms: self.options.claim_ttl_ms };
        let answer = self.around.store.open_session(spec);
        self.calls.ask(Effect::None, answer, move |answer| Answered::Opened(answer, asked));
    }

    pub fn session_answered(&mut self, answer: Result<SessionNo, StoreError>, asked: Instant) {
        self.calls.open = false;
        if let Some(no) = self.heard(answer) {
            self.session_opened(no, asked + self.options.claim_ttl());
            // It lost the one before: what did that to it, an outage perhaps, did it to others too.
            self.give_others_time();
            self.member.due(self.now());
        }
    }

    pub fn session_opened(&mut self, no: SessionNo, until: Instant) {
        let lease = Lease {
            store: self.around.store.clone(),
            clock: self.around.clock.clone(),
            executor: self.around.executor.clone(),
            session: no,
            ttl_ms: self.options.claim_ttl_ms,
            event_loop_budget_ms: self.options.event_loop_budget_ms,
            until,
            tenure: self.tenure.clone(),
            news: self.lease_news_sender.clone(),
        };
        self.tenure.extend(until);
        let lease = LeaseTask(self.around.runtime.spawn(lease.keep()).abort_handle());
        self.session = Session::Open { no, lease };
        self.session_ends_at = self.now().plus(self.options.claim_ttl_ms);
        self.board.update().lease_shaky = false;
    }

    pub fn lease_news(&mut self, session: SessionNo, news: LeaseNews) {
        if self.session.no() != Some(session) {
            return;
        }
        match news {
            LeaseNews::Renewed(at) => {
                self.session_ends_at = at.plus(self.options.claim_ttl_ms);
                let mut shown = self.board.update();
                shown.last_heartbeat_at = Some(at);
                shown.lease_shaky = false;
                drop(shown);
                // What others did to these claims is usually heard at once; this finds what was not.
                self.check_claims_soon();
            }
            LeaseNews::Shaky(error) => {
                let mut shown = self.board.update();
                shown.lease_shaky = true;
                shown.last_error = Some(error.into());
            }
            LeaseNews::Blocked { blocked_ms } => {
                self.set_blocked(true);
                self.tell(WorkerEvent::EventLoopBlocked { blocked_ms });
            }
            LeaseNews::Free => {
                self.set_blocked(false);
                self.tell(WorkerEvent::EventLoopFree);
            }
            LeaseNews::Lost(loss) => self.session_lost(session, loss),
        }
    }

    /// Nothing that was held can be trusted any more: tell the attempts, and begin anew.
    fn session_lost(&mut self, session: SessionNo, loss: Loss) {
        self.session = Session::None;
        self.tenure.end();
        self.doubt = super::doubt::Doubt::None;
        self.tell(WorkerEvent::ClaimsLost { attempt_count: self.slots.running().count() });
        match loss {
            // Nobody has taken over yet, so others need not wait for it to run out.
            Loss::RanOut => {
                self.hand_back_loading();
                for id in self.slots.ids() {
                    if self.not_running(id) {
                        self.aborts.push((id, AbortReason::ClaimLost));
                        self.give_back_started(id);
                    }
                }
                self.old_sessions.push(session);
            }
            // After a block it is left to run out: work that blocks its process counts as a crash, or it would block the
            // whole fleet in turn.
            Loss::TakenOver | Loss::Blocked => {
                for id in self.slots.ids() {
                    self.drop_slot(id, AbortReason::ClaimLost);
                }
                self.hand_backs.clear();
            }
        }
    }

    /// Gives back what lost sessions may still hold. Left undone, they are reaped: that is what sessions are for. What was
    /// decided under them and what of them is given back by itself goes first, and is answered first: the end of the session
    /// would refuse it, and would give back what was begun as if it had not been.
    pub fn begin_close_old(&mut self) {
        let first = !self.hand_backs.is_empty() || self.turns.iter().any(|turn| turn.refusal.is_none());
        if self.old_sessions.is_empty() || first || self.calls.changing() || !self.outage.may_ask(Instant::now()) {
            return;
        }
        for session in std::mem::take(&mut self.old_sessions) {
            let answer = self.around.store.close_session(session);
            self.calls.ask(Effect::Releases, answer, move |answer| Answered::Closed(answer, session));
        }
    }

    pub fn old_session_closed(&mut self, answer: Result<(), StoreError>, session: SessionNo) {
        self.rest.changed();
        match self.heard(answer) {
            Some(()) => self.around.hub.anything_due(self.now()),
            None => self.old_sessions.push(session),
        }
    }

    /// A lease looks at the executor; while there is none, the dispatcher does.
    fn look_at_executor(&mut self) {
        let alone = self.blocked && matches!(self.session, Session::None);
        if alone && self.around.executor.unresponsive_ms() <= self.options.event_loop_budget_ms {
            self.set_blocked(false);
            self.tell(WorkerEvent::EventLoopFree);
        }
    }

    /// When a blocked executor without a lease is looked at next.
    pub fn look_at_executor_at(&self, now: Instant) -> Option<Instant> {
        let alone = self.blocked && matches!(self.session, Session::None);
        alone.then(|| now + BLOCKED_LOOK_INTERVAL)
    }

    fn set_blocked(&mut self, blocked: bool) {
        self.blocked = blocked;
        self.board.update().blocked = blocked;
    }

    pub fn store_worked(&mut self) {
        if self.outage.worked(self.calls.answered_number()) {
            self.board.update().store_away = false;
            self.tell(WorkerEvent::StoreRecovered);
        }
    }

    pub fn store_failed(&mut self, error: StoreError) {
        let closed = error.code == ErrorCode::Closed;
        if closed {
            self.store_closed();
        }
        let mut shown = self.board.update();
        shown.store_away = true;
        shown.last_error = Some(error.clone().into());
        drop(shown);
        // Closing the store is a wish, and no failure that anybody would want to hear of.
        if self.outage.failed(Instant::now(), self.calls.next_number()) && !closed {
            self.tell(WorkerEvent::StoreFailed { error });
        }
    }
}
