//! Asking for work: when there is room for it and reason to hope for it.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use super::doubt::Doubt;
use pawl_core::SessionNo;
use pawl_store::{ClaimAsk, Claims, StoreError};
use tokio::time::Instant;

/// What was asked for.
pub(super) struct ClaimAsked {
    session: SessionNo,
    limit: usize,
}

impl Dispatcher {
    /// Whether this worker takes on anything, by a claim or by keeping what its own commit makes due. Under a tenure that is
    /// over nothing could be begun: what was claimed would be given back at once and be due again, around and around, until
    /// the lease is renewed or lost. And while there is something of a lost session to be settled, nothing new is taken on:
    /// the settling comes to an end.
    pub fn takes_on(&self) -> bool {
        self.session.no().is_some()
            && self.tenure.holds()
            && self.old_sessions.is_empty()
            && self.stopping.is_none()
            && !self.blocked
    }

    /// Whether a claim could be sent now, if something were due.
    pub fn could_claim(&self) -> bool {
        self.takes_on()
            && !self.calls.claim
            && self.doubt == Doubt::None
            && self.free_slots() > 0
            && self.outage.may_ask(Instant::now())
    }

    /// Asks for due work.
    pub fn begin_claim(&mut self) {
        if Instant::now() >= self.poll_at {
            self.poll_at = Instant::now() + self.poll_interval;
            self.member.due(self.now());
        }
        let due = self.member.due_at().is_some_and(|at| at <= self.now());
        let Some(session) = self.session.no().filter(|_| due && self.could_claim()) else { return };
        self.member.take();
        self.calls.claim = true;
        let limit = self.free_slots();
        let answer = self.around.store.claim(ClaimAsk { session, filter: self.filter.clone(), limit });
        let asked = ClaimAsked { session, limit };
        self.calls.ask(Effect::Claims { reserved: limit }, answer, |answer| Answered::Claimed(answer, asked));
    }

    pub fn claims_answered(&mut self, answer: Result<Claims, StoreError>, asked: ClaimAsked) {
        self.calls.claim = false;
        let Some(Claims { claimed, next_due_at }) = self.heard(answer) else {
            self.doubt_arose();
            return self.member.due(self.now());
        };
        let now = self.now();
        self.board.update().last_claim_at = Some(now);
        self.rest.changed();
        self.backlog = claimed.len() >= asked.limit;
        if self.backlog {
            self.member.due(now);
        }
        if let Some(at) = next_due_at {
            self.member.due(at);
        }
        let polling = self.around.polling;
        self.poll_interval = if claimed.is_empty() { polling.slower(self.poll_interval) } else { polling.interval_min };
        self.poll_at = Instant::now() + self.poll_interval;
        for claimed in claimed {
            self.admit_under(Some(asked.session), claimed, &[], 0);
        }
    }
}
