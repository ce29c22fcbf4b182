//! A worker played step by step: whatever can go wrong between two of its calls has a place to go wrong.

mod claims;
mod job;
mod turn;

use crate::flows::Flows;
use crate::line::{Line, answered};
use crate::planted::Planted;
use crate::rng::Rng;
use job::{Job, Stage};
use pawl_core::SessionNo;
use pawl_store::{SessionSpec, Store};
use std::sync::Arc;

/// How long a session lives without a heartbeat.
pub const CLAIM_TTL_MS: i64 = 20_000;

/// How many claims a worker holds at once.
const SLOT_COUNT: usize = 4;

/// How the world is: faults and failures are drawn, or all goes well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Rough,
    Calm,
}

pub struct Worker {
    name: String,
    line: Line,
    flows: Arc<Flows>,
    planted: Option<Planted>,
    session: Option<SessionNo>,
    jobs: Vec<Job>,
    /// An answer was lost: the session may hold more than the worker knows.
    in_doubt: bool,
    /// For how many of its turns it hangs.
    frozen: usize,
    /// Makes every result of every worker another one.
    results: usize,
}

impl Worker {
    pub fn new(name: String, line: Line, flows: Arc<Flows>, planted: Option<Planted>) -> Worker {
        Worker { name, line, flows, planted, session: None, jobs: Vec::new(), in_doubt: false, frozen: 0, results: 0 }
    }

    /// The process dies: nothing it knew is left, and nobody is told.
    pub fn crash(&mut self) {
        (self.session, self.in_doubt, self.frozen) = (None, false, 0);
        self.jobs.clear();
    }

    /// The process hangs for so many of its turns and then goes on as if nothing had happened.
    pub fn freeze(&mut self, turns: usize) {
        self.frozen = turns;
    }

    /// One step, drawn from those that are possible; in words.
    pub fn step(&mut self, rng: &mut Rng) -> String {
        if self.frozen > 0 {
            self.frozen -= 1;
            return format!("{} hangs", self.name);
        }
        let Some(session) = self.session else { return self.open() };
        let done = match rng.below(100) {
            0..12 => self.claim(session, rng.below(SLOT_COUNT) + 1),
            12..20 => self.heartbeat(session),
            20..25 => self.reap(),
            25..31 => self.check_claims(session, rng),
            31..45 if self.in_doubt => self.ask_what_it_holds(session),
            45..46 => self.stop(session),
            _ if self.jobs.is_empty() => self.claim(session, SLOT_COUNT),
            _ => self.go_on(session, rng.below(self.jobs.len()), Mood::Rough, rng),
        };
        format!("{} {done}", self.name)
    }

    /// All it can do now, as a healthy worker does it.
    pub fn work(&mut self, rng: &mut Rng) -> Vec<String> {
        self.frozen = 0;
        let Some(session) = self.session else { return vec![self.open()] };
        let mut done = vec![self.heartbeat(session), self.reap()];
        if self.in_doubt {
            done.push(self.ask_what_it_holds(session));
        }
        if self.session.is_some() {
            done.push(self.check_claims(session, rng));
            done.push(self.claim(session, SLOT_COUNT));
        }
        for at in (0..self.jobs.len()).rev() {
            done.push(self.go_on(session, at, Mood::Calm, rng));
        }
        done.iter().map(|done| format!("{} {done}", self.name)).collect()
    }

    fn open(&mut self) -> String {
        let spec = SessionSpec { worker: self.name.clone(), ttl_ms: CLAIM_TTL_MS };
        match answered(self.line.open_session(spec)) {
            Ok(session) => self.session = Some(session),
            Err(error) => return format!("{} could not open a session: {}", self.name, error.message),
        }
        format!("{} opened a session", self.name)
    }

    fn heartbeat(&mut self, session: SessionNo) -> String {
        match answered(self.line.heartbeat(session, CLAIM_TTL_MS)) {
            Ok(true) => "is alive".into(),
            Ok(false) => {
                self.crash();
                "learned that its session is gone".into()
            }
            Err(error) => format!("could not send its heartbeat: {}", error.message),
        }
    }

    fn reap(&mut self) -> String {
        match answered(self.line.reap()) {
            Ok(reaped) => format!("reaped and freed {}", reaped.freed),
            Err(error) => format!("could not reap: {}", error.message),
        }
    }

    /// Stops in good order, whatever it holds.
    fn stop(&mut self, session: SessionNo) -> String {
        match answered(self.line.close_session(session)) {
            Ok(()) => {
                self.crash();
                "stopped in good order".into()
            }
            Err(error) => format!("could not close its session: {}", error.message),
        }
    }
}
