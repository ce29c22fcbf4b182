//! What others did: other processes change the same store, and other workers die.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use crate::executor::AbortReason;
use pawl_core::{Millis, RunState};
use pawl_store::{ClaimCheck, ClaimFate, Reaped, StoreError};
use std::time::Duration;
use tokio::time::Instant;

/// The least time between two looks after foreign changes: a busy neighbour commits far more often than that.
const CHECK_INTERVAL_MIN: Duration = Duration::from_millis(20);

impl Dispatcher {
    /// Somebody else wrote to the store.
    pub fn foreign_changed(&mut self) {
        self.member.due(self.now());
        self.check_claims_soon();
        self.rest.changed();
    }

    pub fn check_claims_soon(&mut self) {
        let now = Instant::now();
        let earliest = self.last_foreign_check.map_or(now, |last| last + CHECK_INTERVAL_MIN);
        self.foreign_check_at.get_or_insert(earliest.max(now));
    }

    /// Asks what became of the running attempts.
    pub fn begin_check(&mut self) {
        let now = Instant::now();
        let Some(session) = self.session.no() else { return };
        if self.calls.check || self.foreign_check_at.is_none_or(|at| at > now) || !self.outage.may_ask(now) {
            return;
        }
        self.foreign_check_at = None;
        self.last_foreign_check = Some(now);
        let check = |claimed: &pawl_core::turn::Claimed| ClaimCheck {
            run: claimed.run,
            scope: claimed.scope.clone(),
            fence: claimed.fence,
        };
        let claims: Vec<ClaimCheck> = self.slots.running().map(check).collect();
        if claims.is_empty() {
            return;
        }
        self.calls.check = true;
        let answer = self.around.store.check_claims(session, claims);
        self.calls.ask(Effect::None, answer, Answered::Checked);
    }

    pub fn check_answered(&mut self, answer: Result<Vec<(ClaimCheck, ClaimFate)>, StoreError>) {
        self.calls.check = false;
        let Some(fates) = self.heard(answer) else {
            return self.check_claims_soon();
        };
        for (claim, fate) in fates {
            let Some(id) = self.slots.of_branch(claim.run, &claim.scope) else { continue };
            if self.slots.get(id).is_some_and(|slot| slot.claimed.fence == claim.fence) {
                self.stop_attempt(id, reason(fate));
            }
        }
    }

    /// Frees what dead workers held.
    pub fn begin_reap(&mut self) {
        self.spare_the_living();
        if self.next_reap_at().is_none_or(|at| at > self.now()) {
            return;
        }
        self.calls.reap = true;
        let answer = self.around.store.reap();
        self.calls.ask(Effect::None, answer, Answered::Reaped);
    }

    /// When sessions are looked through next; `None` while that must wait for something else.
    pub fn next_reap_at(&self) -> Option<Millis> {
        let now = Instant::now();
        // What this worker still holds under a session that ran out is given back, and counts as no crash.
        let may_reap = self.stopping.is_none() && self.session.no().is_some() && self.old_sessions.is_empty();
        let could_reap = may_reap && !self.calls.reap && self.outage.may_ask(now);
        self.reap_at.filter(|_| could_reap && self.sparing_until.is_none_or(|until| until <= now))
    }

    /// A worker that acts while its own session seems to be over is not dead: the clock was set ahead, or the machine was
    /// asleep. Its neighbours seem just as dead, and get time to renew what they hold.
    fn spare_the_living(&mut self) {
        let seems_dead = self.session.no().is_some() && !self.blocked && self.session_ends_at <= self.now();
        if seems_dead {
            self.give_others_time();
        }
    }

    /// Takes nobody for dead for a while, in which the living renew what they hold and store what they have.
    pub fn give_others_time(&mut self) {
        self.sparing_until = Some(Instant::now() + self.options.claim_ttl() / 2);
    }

    pub fn reap_answered(&mut self, answer: Result<Reaped, StoreError>) {
        self.calls.reap = false;
        let Some(reaped) = self.heard(answer) else { return };
        // A session opened from now on lives for a lifetime at least.
        self.reap_at = Some(reaped.next_expiry_at.unwrap_or_else(|| self.now().plus(self.options.claim_ttl_ms)));
        if reaped.freed > 0 {
            self.around.hub.anything_due(self.now());
        }
    }
}

fn reason(fate: ClaimFate) -> AbortReason {
    match fate {
        ClaimFate::Held => AbortReason::Paused,
        ClaimFate::Lost { run: Some(RunState::Cancelled { reason, .. }) } => AbortReason::Cancelled { reason },
        ClaimFate::Lost { run: Some(state) } if state.is_terminal() => AbortReason::RunEnded,
        ClaimFate::Lost { .. } => AbortReason::ClaimLost,
    }
}
