//! From a claim to a running attempt: what does this branch need, and where does its input come from?

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use super::joined::joined;
use super::slots::{Slot, Stage};
use crate::event::WorkerEvent;
use crate::executor::{Attempt, AttemptId};
use pawl_core::turn::{AttemptPlan, Claimed, InputSource, Outcome, ThrownError, Work, next_work};
use pawl_core::{ErrorCode, Millis, Path, Payload, Phase, ResultWrite, SessionNo, Value};
use pawl_store::StoreError;

impl Dispatcher {
    /// Takes on a claim that was granted to a session, unless that session was lost before the answer came.
    pub fn admit_under(&mut self, session: Option<SessionNo>, claimed: Claimed, written: &[ResultWrite], streak: u32) {
        if session == self.session.no() {
            self.admit(claimed, written, streak);
        } else {
            self.hand_back_unstarted(&claimed);
        }
    }

    /// Takes a claim on. `written` is what the commit that kept it has recorded: the store does not send it back.
    pub fn admit(&mut self, mut claimed: Claimed, written: &[ResultWrite], streak: u32) {
        if self.stopping.is_some() || self.was_stopped_meanwhile(&claimed) {
            return self.hand_back_unstarted(&claimed);
        }
        let Some(flow) = self.flows.get(&claimed.flow).cloned() else {
            return self.flow_unknown(&claimed);
        };
        let now = self.now();
        let input = claimed.input.take().or_else(|| written_here(&claimed, written));
        let too_late = claimed.run_deadline_at.is_some_and(|at| at <= now);
        let work = if too_late && !matches!(claimed.state.phase, Phase::Deadline { .. }) {
            // The run's deadline is a branch of its own, which somebody will claim; whoever sees it first ends the run.
            Work::Settle(pawl_core::turn::apply(&flow, &claimed, Outcome::RunDeadlinePassed, now))
        } else {
            next_work(&flow, &claimed, now)
        };
        match work {
            Work::Release => self.hand_back_unstarted(&claimed),
            Work::Settle(decision) => {
                let id = self.slots.add(Slot { claimed, flow, stage: Stage::Deciding, streak });
                self.decided(id, decision);
            }
            Work::Gather(outputs) => {
                let id = self.slots.add(Slot { claimed, flow, stage: Stage::Loading, streak });
                self.load(id, outputs.into_iter().map(|(_, path)| path).collect());
            }
            Work::Run(plan) => {
                let id = self.slots.add(Slot { claimed, flow, stage: Stage::Loading, streak });
                match (plan.input.clone(), input) {
                    (InputSource::Result(_), Some(input)) => self.start(id, plan, input),
                    (InputSource::Result(path), None) => self.load(id, vec![path]),
                    (InputSource::Branches(outputs), _) => {
                        self.load(id, outputs.into_iter().map(|(_, path)| path).collect());
                    }
                }
            }
        }
    }

    fn load(&mut self, id: AttemptId, paths: Vec<Path>) {
        let Some(slot) = self.slots.get(id) else { return };
        let answer = self.around.store.results(slot.claimed.run, paths);
        self.calls.ask(Effect::None, answer, move |answer| Answered::Loaded(answer, id));
    }

    pub fn inputs_answered(&mut self, answer: Result<Vec<Option<Payload>>, StoreError>, id: AttemptId) {
        if let Err(error) = &answer
            && error.code == ErrorCode::StoreCorrupt
        {
            // Not the store is at fault but a row of it, and no waiting mends that.
            return self.outcome(id, Outcome::Failed(damaged(error.message.clone())));
        }
        let answer = self.heard(answer);
        let Some(slot) = self.slots.get(id).filter(|slot| slot.stage == Stage::Loading) else {
            return;
        };
        let Some(values) = answer else {
            // Asked again when the store works: as it was claimed, so it can be claimed again.
            let claimed = slot.claimed.clone();
            self.slots.remove(id);
            return self.hand_back_unstarted(&claimed);
        };
        let (flow, claimed) = (slot.flow.clone(), slot.claimed.clone());
        let Some(values) = values.into_iter().collect::<Option<Vec<Payload>>>() else {
            return self.outcome(id, Outcome::Failed(input_missing(&claimed)));
        };
        match next_work(&flow, &claimed, self.now()) {
            Work::Gather(outputs) => {
                self.outcome(id, joined(&outputs, &values).map_or_else(Outcome::Failed, Outcome::Succeeded));
            }
            Work::Run(plan) => {
                let input = match &plan.input {
                    InputSource::Result(_) => Ok(values.into_iter().next().unwrap_or_else(|| Payload::json("null"))),
                    InputSource::Branches(outputs) => joined(outputs, &values),
                };
                match input {
                    Ok(input) => self.start(id, plan, input),
                    Err(refusal) => self.outcome(id, Outcome::Failed(refusal)),
                }
            }
            Work::Settle(decision) => self.decided(id, decision),
            Work::Release => {
                self.slots.remove(id);
                self.hand_back_unstarted(&claimed);
            }
        }
    }

    fn start(&mut self, id: AttemptId, plan: AttemptPlan, input: Payload) {
        let now = self.now();
        let Some(slot) = self.slots.get_mut(id) else { return };
        let claimed = &slot.claimed;
        let deadline_at = earlier(claimed.deadline_at, claimed.run_deadline_at);
        self.attempts.push(Attempt {
            id,
            run: claimed.run,
            run_id: claimed.run_id.clone(),
            flow: claimed.flow.clone(),
            node: plan.node,
            path: plan.path,
            attempt: claimed.attempt,
            deadline_at,
            input,
        });
        self.board.update().started(id, claimed, now);
        slot.stage = Stage::Running { deadline_at, pausing: false };
        if let Some(at) = deadline_at {
            self.deadlines.set(at, id);
        }
    }

    /// The store only hands out what the filter allows, so this is a fault somewhere; the run must not suffer from it.
    fn flow_unknown(&mut self, claimed: &Claimed) {
        if self.unknown_flows.insert(claimed.flow.clone()) {
            self.tell(WorkerEvent::FlowUnknown { flow: claimed.flow.clone() });
        }
        self.hand_back_unstarted(claimed);
    }
}

fn written_here(claimed: &Claimed, written: &[ResultWrite]) -> Option<Payload> {
    let path = claimed.state.input.as_ref()?;
    written.iter().find(|result| result.path == *path).and_then(|result| match &result.value {
        Value::New(payload) => Some(payload.clone()),
        Value::CopyOf(_) | Value::Signal(_) => None,
    })
}

fn earlier(a: Option<Millis>, b: Option<Millis>) -> Option<Millis> {
    [a, b].into_iter().flatten().min()
}

fn input_missing(claimed: &Claimed) -> ThrownError {
    damaged(format!("The store has no result that \"{}\" could have as its input", claimed.state.node))
}

fn damaged(message: String) -> ThrownError {
    ThrownError { code: ErrorCode::StoreCorrupt, message, cause: None, retryable: false, retry_after_ms: None }
}
