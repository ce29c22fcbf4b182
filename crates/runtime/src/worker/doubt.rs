//! After a lost answer: the store may have handed out claims that this worker never heard of. They would be kept alive
//! with its session and never move, so the worker asks what it holds before it goes on.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use crate::executor::AbortReason;
use pawl_core::SessionNo;
use pawl_core::turn::Claimed;
use pawl_store::StoreError;
use tokio::time::Instant;

/// Whether this worker knows all it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It does.
    None,
    /// An answer was lost; what was asked then is asked again first.
    Arose,
    /// The store is being asked. Nothing that changes what is held may be sent meanwhile.
    Asking,
}

impl Dispatcher {
    pub fn doubt_arose(&mut self) {
        self.doubt = Doubt::Arose;
    }

    /// Whether turns and returned claims may be sent now: one call at a time while there is doubt.
    pub fn may_commit(&self) -> bool {
        match self.doubt {
            Doubt::None => true,
            Doubt::Arose => !self.calls.changing() && self.turns_in_doubt(),
            Doubt::Asking => false,
        }
    }

    /// A turn that the store refuses to take is not waited for: it may never be taken.
    fn turns_in_doubt(&self) -> bool {
        self.turns.iter().any(|turn| turn.doubtful && turn.refusal.is_none())
    }

    /// Asks what is held, once everything that was in doubt has been answered.
    pub fn begin_held(&mut self) {
        let settled = self.doubt == Doubt::Arose
            && !self.calls.changing()
            && !self.turns_in_doubt()
            && self.outage.may_ask(Instant::now());
        if !settled {
            return;
        }
        let Some(session) = self.session.no() else {
            // What a lost session held is not ours in any case.
            self.doubt = Doubt::None;
            return;
        };
        self.doubt = Doubt::Asking;
        let answer = self.around.store.held(session);
        self.calls.ask(Effect::Claims { reserved: 0 }, answer, move |answer| Answered::Held(answer, session));
    }

    pub fn held_answered(&mut self, answer: Result<Vec<Claimed>, StoreError>, session: SessionNo) {
        let answer = self.heard(answer);
        if self.session.no() != Some(session) || self.doubt != Doubt::Asking {
            return;
        }
        let Some(held) = answer else {
            return self.doubt_arose();
        };
        self.doubt = Doubt::None;
        self.rest.changed();
        for claimed in held {
            let given_back = |(hand_back, _): &(pawl_store::HandBack, _)| {
                (hand_back.run, &hand_back.scope, hand_back.fence) == (claimed.run, &claimed.scope, claimed.fence)
            };
            if self.hand_backs.iter().any(given_back) {
                continue;
            }
            match self.slots.of_branch(claimed.run, &claimed.scope) {
                Some(id) if self.slots.get(id).is_some_and(|slot| slot.claimed.fence == claimed.fence) => {}
                Some(id) => {
                    // An older claim of the same branch: its outcome would be refused.
                    self.drop_slot(id, AbortReason::ClaimLost);
                    self.admit(claimed, &[], 0);
                }
                None => self.admit(claimed, &[], 0),
            }
        }
    }
}
