//! Stopping attempts before they have an outcome, and giving claims back.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use super::slots::Stage;
use crate::executor::{AbortReason, AttemptId};
use crate::hub::Notice;
use pawl_core::turn::{Claimed, Outcome};
use pawl_core::{FlowHash, RunNo};
use pawl_store::{HandBack, StoreError};
use std::collections::HashMap;
use tokio::time::Instant;

/// Runs that were told to stop while claims of theirs may still be on their way here.
#[derive(Default)]
pub(super) struct RecentStops {
    /// The number that the first call after the stop got.
    by_run: HashMap<RunNo, u64>,
}

impl RecentStops {
    fn forget_before(&mut self, oldest_claiming: Option<u64>) {
        self.by_run.retain(|_, next_number| oldest_claiming.is_some_and(|oldest| oldest < *next_number));
    }
}

impl Dispatcher {
    /// Acts on what happened to a run elsewhere in this process.
    pub fn noticed(&mut self, notice: Notice) {
        self.rest.changed();
        let Notice::RunStopped { run, reason } = notice else { return };
        for id in self.slots.of_run(run) {
            self.stop_attempt(id, reason.clone());
        }
        if self.calls.oldest_claiming().is_some() {
            self.recent_stops.by_run.insert(run, self.calls.next_number());
        }
    }

    /// Whether this claim was granted before its run was stopped, and heard of only now.
    pub fn was_stopped_meanwhile(&self, claimed: &Claimed) -> bool {
        let first_after = self.recent_stops.by_run.get(&claimed.run);
        first_after.is_some_and(|first_after| self.calls.answered_number() < *first_after)
    }

    /// Called when answers have been dealt with.
    pub fn forget_old_stops(&mut self) {
        if !self.recent_stops.by_run.is_empty() {
            self.recent_stops.forget_before(self.calls.oldest_claiming());
        }
    }

    /// Tells an attempt to stop, and does with its claim what the reason asks for.
    pub fn stop_attempt(&mut self, id: AttemptId, reason: AbortReason) {
        let Some(slot) = self.slots.get_mut(id) else { return };
        match (&mut slot.stage, &reason) {
            // Its turn is on its way: the fence decides.
            (Stage::Deciding, _) => {}
            (Stage::Running { pausing, .. }, AbortReason::Paused) => {
                if !std::mem::replace(pausing, true) {
                    self.aborts.push((id, reason));
                }
            }
            (Stage::Loading, AbortReason::Paused) => {
                let claimed = slot.claimed.clone();
                self.slots.remove(id);
                self.hand_back_unstarted(&claimed);
            }
            (Stage::Loading | Stage::Running { .. }, _) => self.drop_slot(id, reason),
        }
    }

    /// Forgets a claim that is lost anyway.
    pub fn drop_slot(&mut self, id: AttemptId, reason: AbortReason) {
        if self.slots.get(id).is_some_and(|slot| slot.stage == Stage::Deciding) {
            return;
        }
        if self.not_running(id) {
            self.aborts.push((id, reason));
        }
        self.slots.remove(id);
    }

    /// Ends attempts that are too late, whether or not they notice.
    pub fn end_late_attempts(&mut self) {
        let now = self.now();
        while let Some(id) = self.deadlines.pop_passed(now) {
            let Some(slot) = self.slots.get(id) else { continue };
            let run_too_late = slot.claimed.run_deadline_at.is_some_and(|at| at <= now);
            let pausing = matches!(slot.stage, Stage::Running { pausing: true, .. });
            self.aborts.push((id, if run_too_late { AbortReason::RunEnded } else { AbortReason::TimedOut }));
            match (pausing, run_too_late) {
                (true, _) => self.give_back_started(id),
                (false, true) => self.outcome(id, Outcome::RunDeadlinePassed),
                (false, false) => self.outcome(id, Outcome::TimedOut),
            }
        }
    }

    /// Takes an attempt off the clock and off the board. `false`: it was not running.
    pub fn not_running(&mut self, id: AttemptId) -> bool {
        let Some(Stage::Running { deadline_at, .. }) = self.slots.get(id).map(|slot| slot.stage.clone()) else {
            return false;
        };
        if let Some(at) = deadline_at {
            self.deadlines.clear(at, id);
        }
        self.board.update().ended(id);
        true
    }

    /// Gives back a claim whose function was started and brought nothing that counts.
    pub fn give_back_started(&mut self, id: AttemptId) {
        self.not_running(id);
        if let Some(slot) = self.slots.remove(id) {
            self.give_back(&slot.claimed, true);
        }
    }

    /// Gives back the claim of an attempt whose function the executor did not call.
    pub fn give_back_unbegun(&mut self, id: AttemptId) {
        if self.not_running(id)
            && let Some(slot) = self.slots.remove(id)
        {
            self.hand_back_unstarted(&slot.claimed);
        }
    }

    /// Gives back a claim whose function was not started.
    pub fn hand_back_unstarted(&mut self, claimed: &Claimed) {
        self.give_back(claimed, false);
    }

    fn give_back(&mut self, claimed: &Claimed, started: bool) {
        let Claimed { run, scope, fence, flow, .. } = claimed;
        self.hand_backs.push((HandBack { run: *run, scope: scope.clone(), fence: *fence, started }, flow.clone()));
    }

    /// Gives back what is not wanted.
    pub fn begin_hand_back(&mut self) {
        if self.hand_backs.is_empty() || !self.may_commit() || !self.outage.may_ask(Instant::now()) {
            return;
        }
        let hand_backs = std::mem::take(&mut self.hand_backs);
        let answer = self.around.store.hand_back(hand_backs.iter().map(|(hand_back, _)| hand_back.clone()).collect());
        self.calls.ask(Effect::Releases, answer, |answer| Answered::HandedBack(answer, hand_backs));
    }

    pub fn hand_back_answered(&mut self, answer: Result<(), StoreError>, hand_backs: Vec<(HandBack, FlowHash)>) {
        if self.heard(answer).is_none() {
            // Giving back twice is giving back once.
            return self.hand_backs.extend(hand_backs);
        }
        let now = self.now();
        self.rest.changed();
        for (hand_back, flow) in hand_backs {
            self.around.hub.due(&flow, hand_back.run, now);
        }
    }
}
