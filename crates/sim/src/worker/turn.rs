//! One claim's next step: ask the core, run the function, commit.

use super::claims::told;
use super::{Job, Mood, SLOT_COUNT, Stage, Worker};
use crate::fact::Fact;
use crate::line::answered;
use crate::planted::Planted;
use crate::rng::Rng;
use pawl_core::turn::{AttemptPlan, InputSource, Outcome, ThrownError, Work, apply, next_work};
use pawl_core::{BranchCommit, Commit, Decision, ErrorCode, Path, Payload, SessionNo, Value};
use pawl_store::{Refused, Store};

impl Worker {
    /// Brings the job at this place one step further.
    pub(super) fn go_on(&mut self, session: SessionNo, at: usize, mood: Mood, rng: &mut Rng) -> String {
        let job = self.jobs.remove(at);
        match job.stage.clone() {
            Stage::Handed(known_input) => self.begin(job, known_input),
            Stage::Running => self.end(job, mood, rng),
            Stage::Decided(decision) => self.commit(session, job, decision, rng),
            Stage::GivenUp { started } => self.give_back(job, started),
        }
    }

    fn begin(&mut self, job: Job, known_input: Option<Payload>) -> String {
        let flow = self.flows[&job.claimed.flow].clone();
        match next_work(&flow, &job.claimed, self.line.clock().now()) {
            Work::Run(plan) => self.start_function(job, plan, known_input),
            Work::Gather(outputs) => match self.object_of(&job, &outputs) {
                Some(object) => self.decide(job, Outcome::Succeeded(object)),
                None => self.wait(job),
            },
            Work::Settle(decision) => {
                let said = format!("settles {}", told(&job.claimed));
                self.jobs.push(Job { stage: Stage::Decided(decision), ..job });
                said
            }
            Work::Release => self.give_back(job, false),
        }
    }

    fn start_function(&mut self, job: Job, plan: AttemptPlan, known_input: Option<Payload>) -> String {
        let (input, recorded_at) = match plan.input {
            InputSource::Result(path) => (job.claimed.input.clone().or(known_input), vec![path]),
            InputSource::Branches(outputs) => {
                (self.object_of(&job, &outputs), outputs.into_iter().map(|(_, path)| path).collect())
            }
        };
        let Some(mut input) = input else { return self.wait(job) };
        if self.planted == Some(Planted::WrongInput) && job.claimed.attempt > 1 {
            input = Payload::json("null");
        }
        let said = format!("started {}", told(&job.claimed));
        self.line.note(Fact::AttemptStarted { run: job.claimed.run, node: plan.path, input, recorded_at });
        self.jobs.push(Job { stage: Stage::Running, ..job });
        said
    }

    /// The outputs of a fork's branches in one object; `None` when the store could not be asked.
    fn object_of(&self, job: &Job, outputs: &[(std::sync::Arc<str>, Path)]) -> Option<Payload> {
        let paths = outputs.iter().map(|(_, path)| path.clone()).collect();
        let values = answered(self.line.results(job.claimed.run, paths)).ok()?;
        let nothing = Payload::json("null");
        let values: Vec<Payload> = values.into_iter().map(|value| value.unwrap_or(nothing.clone())).collect();
        Some(Payload::object(outputs.iter().zip(&values).map(|((name, _), value)| (name.as_ref(), value))))
    }

    /// The store could not be asked: the same step again, later.
    fn wait(&mut self, job: Job) -> String {
        let said = format!("waits for the store with {}", told(&job.claimed));
        self.jobs.push(job);
        said
    }

    fn end(&mut self, job: Job, mood: Mood, rng: &mut Rng) -> String {
        let is_late = job.claimed.deadline_at.is_some_and(|at| at <= self.line.clock().now());
        let draw = rng.below(100);
        let outcome = match mood {
            _ if is_late => Outcome::TimedOut,
            Mood::Rough if draw < 15 => Outcome::Failed(thrown(draw != 0, (draw < 4).then_some(draw as i64 * 500))),
            Mood::Rough | Mood::Calm => {
                self.results += 1;
                Outcome::Succeeded(Payload::json(format!("\"{}-{}\"", self.name, self.results)))
            }
        };
        self.decide(job, outcome)
    }

    fn decide(&mut self, job: Job, outcome: Outcome) -> String {
        let flow = self.flows[&job.claimed.flow].clone();
        let said = format!("ended {}: {}", told(&job.claimed), in_a_word(&outcome));
        let decision = apply(&flow, &job.claimed, outcome, self.line.clock().now());
        self.jobs.push(Job { stage: Stage::Decided(decision), ..job });
        said
    }

    fn commit(&mut self, session: SessionNo, job: Job, decision: Decision, rng: &mut Rng) -> String {
        let said = told(&job.claimed);
        let room = SLOT_COUNT.saturating_sub(self.jobs.len());
        let commit = BranchCommit {
            run: job.claimed.run,
            scope: job.claimed.scope.clone(),
            fence: job.claimed.fence,
            decision: decision.clone(),
            keep: rng.permille(700).then_some((session, rng.below(room + 1))),
        };
        let answer = match answered(self.line.commit(vec![Commit::Branch(commit)])) {
            Ok(mut answers) => answers.pop().expect("one commit, one answer"),
            Err(error) => {
                self.in_doubt = true;
                self.jobs.push(job);
                return format!("could not commit {said}: {}", error.message);
            }
        };
        match answer {
            Ok(committed) => {
                let kept = committed.kept.iter().map(told).collect::<Vec<_>>().join(", ");
                for claimed in committed.kept {
                    let known_input = claimed.state.input.as_ref().and_then(|path| written(&decision, path));
                    self.jobs.push(Job::handed(claimed, known_input));
                }
                format!("committed {said}, keeps [{kept}]")
            }
            Err(Refused::StaleFence | Refused::VersionMoved) => format!("was refused with {said}"),
            Err(Refused::SignalTaken) => {
                let back = self.give_back(job, false);
                format!("came too late for the message of {said} and {back}")
            }
        }
    }
}

/// The value that a decision records at this path, if it is a new one: the store does not send it back.
fn written(decision: &Decision, path: &Path) -> Option<Payload> {
    decision.results.iter().find_map(|write| match &write.value {
        Value::New(payload) if write.path == *path => Some(payload.clone()),
        _ => None,
    })
}

fn thrown(retryable: bool, retry_after_ms: Option<i64>) -> ThrownError {
    ThrownError { code: ErrorCode::StepFailed, message: "drawn".into(), cause: None, retryable, retry_after_ms }
}

fn in_a_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded(_) => "success",
        Outcome::Failed(_) => "failure",
        Outcome::TimedOut => "too late",
        _ => "settled",
    }
}
