//! Those who start runs, send messages, cancel, pause and resume. What was not answered they ask again.

use crate::flows::{Flows, MESSAGES};
use crate::line::{Line, answered};
use crate::rng::Rng;
use crate::view::View;
use pawl_core::run::{Control, decide_control};
use pawl_core::turn;
use pawl_core::{Commit, FlowHash, Payload, Phase, RunCommit, RunId, RunState};
use pawl_store::{NewRun, NewSignal, OnConflict, Store};
use std::sync::Arc;

/// How many ids there are, so that some are used twice.
const ID_COUNT: usize = 7;

pub struct Client {
    name: String,
    line: Line,
    flows: Arc<Flows>,
    /// Started and not answered yet.
    starting: Option<(FlowHash, RunId, Payload, OnConflict)>,
    /// Sent and not answered yet.
    sending: Option<NewSignal>,
    /// Decided on a version that may have moved meanwhile.
    controlling: Option<RunCommit>,
    values: usize,
}

impl Client {
    pub fn new(at: usize, line: Line, flows: Arc<Flows>) -> Client {
        let name = format!("client-{at}");
        Client { name, line, flows, starting: None, sending: None, controlling: None, values: 0 }
    }

    /// One step, drawn; in words.
    pub fn step(&mut self, rng: &mut Rng) -> String {
        let said = match rng.below(100) {
            0..35 => self.start(rng),
            35..65 => self.send(rng),
            _ => self.control(rng),
        };
        format!("{} {said}", self.name)
    }

    fn start(&mut self, rng: &mut Rng) -> String {
        if self.starting.is_none() {
            let hashes: Vec<FlowHash> = self.flows.keys().cloned().collect();
            let on_conflict = *rng.pick(&[OnConflict::Fail, OnConflict::UseExisting, OnConflict::TerminateExisting]);
            self.starting = Some((rng.pick(&hashes).clone(), id(rng), self.value(), on_conflict));
        }
        let Some((hash, id, input, on_conflict)) = self.starting.clone() else { return "starts nothing".into() };
        let (flow, now) = (&self.flows[&hash], self.line.clock().now());
        let new = NewRun {
            id: id.clone(),
            flow: hash,
            input,
            branches: turn::start(flow, now),
            deadline_at: flow.deadline_ms.map(|after_ms| now.plus(after_ms)),
            on_conflict,
            keep: None,
        };
        match answered(self.line.start(vec![new])) {
            Ok(answers) => {
                self.starting = None;
                format!("started {id} ({on_conflict:?}): {:?}", answers[0])
            }
            Err(error) => {
                // It may have begun: asking for a new life of the id would end what this very start began.
                if let Some((_, _, _, on_conflict)) = &mut self.starting {
                    *on_conflict = OnConflict::UseExisting;
                }
                format!("could not start {id}: {}", error.message)
            }
        }
    }

    fn send(&mut self, rng: &mut Rng) -> String {
        if self.sending.is_none() {
            let payload = self.value();
            let key = Some(format!("{}-key-{}", self.name, self.values));
            let name = (*rng.pick(&MESSAGES)).to_owned();
            self.sending = Some(NewSignal { run_id: id(rng), name, payload, key });
        }
        let Some(signal) = self.sending.clone() else { return "sends nothing".into() };
        let said = format!("{} to {}", signal.name, signal.run_id);
        match answered(self.line.signal(vec![signal])) {
            Ok(answers) => {
                self.sending = None;
                format!("sent {said}: {:?}", answers[0])
            }
            Err(error) => format!("could not send {said}: {}", error.message),
        }
    }

    /// Reads in one step and writes in another, so that somebody else can come between.
    fn control(&mut self, rng: &mut Rng) -> String {
        if let Some(commit) = self.controlling.take() {
            let said = format!("{} run {}", commit.state.as_str(), commit.run);
            return match answered(self.line.commit(vec![Commit::Run(commit)])) {
                Ok(answers) => format!("asked for {said}: {:?}", answers[0]),
                Err(error) => format!("could not ask for {said}: {}", error.message),
            };
        }
        let id = id(rng);
        let record = match answered(self.line.run(id.clone())) {
            Ok(Some(record)) => record,
            Ok(None) => return format!("found no run {id}"),
            Err(error) => return format!("could not read {id}: {}", error.message),
        };
        let control = match rng.below(10) {
            0 => Control::Cancel { reason: None, by: None },
            1..5 => Control::Pause { reason: None, by: None },
            _ => Control::Resume { by: None },
        };
        match decide_control(&record.state, control) {
            Ok((state, open, event)) => {
                let said = format!("wants {id} {}", state.as_str());
                let (run, expected_version) = (record.run, record.version);
                self.controlling = Some(RunCommit { run, expected_version, state, open, events: vec![event] });
                said
            }
            Err(refusal) => format!("may not: {id} {}", refusal.message),
        }
    }

    /// Resumes what is paused and sends what is awaited without end; in words, nothing if there is nothing to do.
    pub fn help(&mut self, view: &View) -> Vec<String> {
        let mut said = Vec::new();
        self.controlling = None;
        for seen in view.runs.values().filter(|seen| !seen.is_over()) {
            let record = &seen.record;
            if matches!(record.state, RunState::Paused { .. })
                && let Ok((state, open, event)) = decide_control(&record.state, Control::Resume { by: None })
            {
                let (run, expected_version) = (record.run, record.version);
                let commit = RunCommit { run, expected_version, state, open, events: vec![event] };
                said.push(format!(
                    "a client resumes {run}: {:?}",
                    answered(self.line.commit(vec![Commit::Run(commit)]))
                ));
            }
            for branch in &record.open {
                let Phase::Awaiting { signal, timeout_at: None } = &branch.state.phase else { continue };
                if branch.claimed || branch.due_at.is_some() {
                    continue;
                }
                let (name, payload) = (signal.to_string(), self.value());
                let signal = NewSignal { run_id: record.id.clone(), name, payload, key: None };
                said.push(format!("a client helps {}: {:?}", record.run, answered(self.line.signal(vec![signal]))));
            }
        }
        said
    }

    /// A value that nobody else makes.
    fn value(&mut self) -> Payload {
        self.values += 1;
        Payload::json(format!("\"{}-{}\"", self.name, self.values))
    }
}

fn id(rng: &mut Rng) -> RunId {
    RunId::from(format!("run-{}", rng.below(ID_COUNT)))
}
