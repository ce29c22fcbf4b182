//! From an outcome to a decision.

use super::dispatcher::Dispatcher;
use super::slots::Stage;
use crate::detail::tell;
use crate::executor::{AttemptId, AttemptOutcome};
use pawl_core::turn::{Outcome, apply};
use pawl_core::{Decision, Fence, FlowHash, RunNo, Scope};
use tokio::time::Instant;

/// A decision on its way to the store. It is kept until the store has answered.
pub(super) struct Turn {
    pub slot: AttemptId,
    pub run: RunNo,
    pub scope: Scope,
    pub fence: Fence,
    pub flow: FlowHash,
    pub decision: Decision,
    pub streak: u32,
    /// Whether an answer to it was lost: it may be stored already.
    pub doubtful: bool,
    /// Set when the store refused to take it, alone or in company: it is asked again by itself, so that it keeps no
    /// other turn waiting.
    pub refusal: Option<Refusal>,
}

/// How often a turn was refused by itself, and when it is asked again.
#[derive(Clone, Copy)]
pub(super) struct Refusal {
    pub count: u32,
    pub ask_again_at: Instant,
}

impl Dispatcher {
    /// Outcomes as the executor delivers them.
    pub fn outcomes(&mut self, outcomes: Vec<(AttemptId, AttemptOutcome)>) {
        for (id, outcome) in outcomes {
            let outcome = match outcome {
                AttemptOutcome::Succeeded(payload) => Outcome::Succeeded(payload),
                AttemptOutcome::Failed(thrown) => Outcome::Failed(thrown),
                AttemptOutcome::NotBegun => {
                    self.give_back_unbegun(id);
                    continue;
                }
            };
            // Late outcomes, of attempts that timed out or were lost, find no running slot.
            match self.slots.get(id).map(|slot| &slot.stage) {
                Some(Stage::Running { pausing: true, .. }) if !matches!(outcome, Outcome::Succeeded(_)) => {
                    self.give_back_started(id);
                }
                Some(Stage::Running { .. }) => self.outcome(id, outcome),
                Some(Stage::Loading | Stage::Deciding) | None => {}
            }
        }
    }

    /// Decides over an outcome.
    pub fn outcome(&mut self, id: AttemptId, outcome: Outcome) {
        let now = self.now();
        self.not_running(id);
        if let Some(slot) = self.slots.get(id) {
            let mut decision = apply(&slot.flow, &slot.claimed, outcome, now);
            for event in decision.events.iter_mut().filter(|event| event.failure.is_some()) {
                tell(event, "worker", self.options.name.as_str().into());
            }
            self.decided(id, decision);
        }
    }

    /// Puts a decision among those of this lap.
    pub fn decided(&mut self, id: AttemptId, decision: Decision) {
        let Some(slot) = self.slots.get_mut(id) else { return };
        slot.stage = Stage::Deciding;
        let claimed = &slot.claimed;
        self.turns.push(Turn {
            slot: id,
            run: claimed.run,
            scope: claimed.scope.clone(),
            fence: claimed.fence,
            flow: claimed.flow.clone(),
            decision,
            streak: slot.streak,
            doubtful: false,
            refusal: None,
        });
    }
}
