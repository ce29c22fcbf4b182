//! The world itself: who acts next, what time it is, and when it is over.

use crate::broken::Broken;
use crate::check::{self, Checker};
use crate::client::Client;
use crate::flows::{self, Flows};
use crate::line::{Line, answered};
use crate::planted::Planted;
use crate::rng::Rng;
use crate::view::View;
use crate::worker::{CLAIM_TTL_MS, Worker};
use pawl_core::Millis;
use pawl_store::{Clock, ManualClock, MemoryStore, Store};
use std::fmt;
use std::sync::Arc;

/// How many steps of a world are rough.
const ROUGH_STEPS: usize = 600;

/// How many rounds the calm at the end may take: far more than the longest flow has nodes.
const CALM_ROUNDS_MAX: usize = 500;

/// How much time passes at most between two heartbeats in calm times.
const CALM_PACE_MS: i64 = CLAIM_TTL_MS / 4;

/// After how many steps the results of runs that are over are looked at once more.
const WHOLE_LOOK_EVERY: usize = 50;

/// How much of what happened is told with a violation.
const TOLD_MAX: usize = 60;

const WORKER_COUNT: usize = 3;
const CLIENT_COUNT: usize = 2;

/// A world made of a seed.
pub struct World {
    seed: u64,
    rng: Rng,
    clock: Arc<ManualClock>,
    /// Past the line: what is really stored.
    store: Arc<dyn Store>,
    line: Line,
    flows: Arc<Flows>,
    workers: Vec<Worker>,
    clients: Vec<Client>,
    checkers: Vec<Box<dyn Checker>>,
    view: View,
    steps: usize,
    told: Vec<String>,
}

/// What a world that kept all promises tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lived {
    /// How many steps it took.
    pub steps: usize,
    /// How many runs there were.
    pub runs: usize,
    /// How many of them completed.
    pub completed: usize,
    /// All that happened. The same seed tells the same story.
    pub told: Vec<String>,
}

/// A broken promise.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The seed of the world.
    pub seed: u64,
    /// The step after which it was seen.
    pub step: usize,
    /// Which promise.
    pub promise: &'static str,
    /// How it is broken.
    pub words: String,
    /// What happened last.
    pub told: Vec<String>,
}

impl World {
    /// The world of this seed, on a store in memory.
    pub fn new(seed: u64) -> World {
        World::with(seed, in_memory, None)
    }

    /// The world of this seed, on the store that is opened with the world's clock. It must be empty.
    pub fn on(seed: u64, open: impl FnOnce(Arc<dyn Clock>) -> Arc<dyn Store>) -> World {
        World::with(seed, open, None)
    }

    /// The world of this seed, on a store in memory, with a bug in it.
    pub fn planted(seed: u64, bug: Planted) -> World {
        World::with(seed, in_memory, Some(bug))
    }

    fn with(seed: u64, open: impl FnOnce(Arc<dyn Clock>) -> Arc<dyn Store>, planted: Option<Planted>) -> World {
        let mut rng = Rng::new(seed);
        let clock = Arc::new(ManualClock::at(Millis(1_000_000)));
        let store: Arc<dyn Store> = Arc::new(Broken::new(open(clock.clone()), planted));
        let (flows, records) = flows::draw(&mut rng.split());
        answered(store.register_flows(records)).expect("an empty store takes new flows");
        let (flows, line) = (Arc::new(flows), Line::new(store.clone(), rng.split()));
        let worker = |at| Worker::new(format!("worker-{at}"), line.clone(), flows.clone(), planted);
        World {
            seed,
            rng,
            clock,
            workers: (0..WORKER_COUNT).map(worker).collect(),
            clients: (0..CLIENT_COUNT).map(|at| Client::new(at, line.clone(), flows.clone())).collect(),
            checkers: check::all(),
            view: View::empty(store.clock().now()),
            steps: 0,
            told: Vec::new(),
            store,
            line,
            flows,
        }
    }

    /// Lives through a rough time and then a calm one, in which every run has to end.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn live(mut self) -> Result<Lived, Box<Violation>> {
        for _ in 0..ROUGH_STEPS {
            let said = self.rough_step();
            self.look(vec![said])?;
        }
        self.line.clear_up();
        for _ in 0..CALM_ROUNDS_MAX {
            if self.view.runs.values().all(|seen| seen.is_over()) {
                return Ok(self.lived());
            }
            self.calm_round()?;
        }
        let open: Vec<_> = self.view.runs.values().filter(|seen| !seen.is_over()).map(|seen| &seen.record).collect();
        Err(self.violation("every run ends once faults stop", format!("{open:#?}")))
    }

    fn rough_step(&mut self) -> String {
        let rng = &mut self.rng;
        let worker = rng.below(WORKER_COUNT);
        match rng.below(1_000) {
            0..8 => {
                self.workers[worker].crash();
                format!("worker-{worker} dies")
            }
            8..16 => {
                let turns = 1 + rng.below(40);
                self.workers[worker].freeze(turns);
                format!("worker-{worker} freezes for {turns} turns")
            }
            16..76 => {
                let longest_ms = *rng.pick(&[10, 500, 5_000, CLAIM_TTL_MS, 2 * CLAIM_TTL_MS]);
                let duration_ms = rng.within(1, longest_ms);
                self.clock.advance(duration_ms);
                format!("{duration_ms} ms pass")
            }
            76..200 => {
                let client = rng.below(CLIENT_COUNT);
                self.clients[client].step(rng)
            }
            _ => self.workers[worker].step(rng),
        }
    }

    /// Everybody does all there is to do. If that is nothing, time passes to the next moment that something waits for.
    fn calm_round(&mut self) -> Result<(), Box<Violation>> {
        let before = self.stored();
        for at in 0..WORKER_COUNT {
            for said in self.workers[at].work(&mut self.rng) {
                self.tell(said);
            }
            self.look(Vec::new())?;
        }
        let said = self.clients[0].help(&self.view);
        self.look(said)?;
        if self.stored() == before {
            let due = self.view.runs.values().flat_map(|seen| &seen.record.open).filter_map(|branch| branch.due_at);
            let next = due.filter(|at| *at > self.view.now).min().map_or(CALM_PACE_MS, |at| at.0 - self.view.now.0);
            let duration_ms = next.min(CALM_PACE_MS);
            self.clock.advance(duration_ms);
            self.look(vec![format!("{duration_ms} ms pass")])?;
        }
        Ok(())
    }

    /// A measure of all that is stored: it grows with whatever moves a run.
    fn stored(&self) -> (usize, usize) {
        let history = self.view.runs.values().map(|seen| seen.history.len()).sum();
        let claimed =
            self.view.runs.values().flat_map(|seen| &seen.record.open).filter(|branch| branch.claimed).count();
        (history, claimed)
    }

    /// Shows the checkers what has just happened.
    fn look(&mut self, said: Vec<String>) -> Result<(), Box<Violation>> {
        self.steps += 1;
        said.into_iter().for_each(|said| self.tell(said));
        let facts = self.line.take_facts();
        let after = self.view.again(&*self.store, &self.flows, self.steps.is_multiple_of(WHOLE_LOOK_EVERY));
        for checker in &mut self.checkers {
            if let Err(words) = checker.look(&facts, &self.view, &after) {
                let promise = checker.promise();
                return Err(self.violation(promise, words));
            }
        }
        self.view = after;
        Ok(())
    }

    fn tell(&mut self, said: String) {
        self.told.push(format!("{:>5} {:>8} {said}", self.steps, self.clock_ms()));
    }

    fn clock_ms(&self) -> i64 {
        self.store.clock().now().0
    }

    fn violation(&self, promise: &'static str, words: String) -> Box<Violation> {
        let told = self.told[self.told.len().saturating_sub(TOLD_MAX)..].to_vec();
        Box::new(Violation { seed: self.seed, step: self.steps, promise, words, told })
    }

    fn lived(self) -> Lived {
        let completed = self.view.runs.values().filter(|seen| seen.record.state.as_str() == "completed").count();
        Lived { steps: self.steps, runs: self.view.runs.len(), completed, told: self.told }
    }
}

fn in_memory(clock: Arc<dyn Clock>) -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(clock))
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.told {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "After step {} a promise is broken: {}.\n{}", self.step, self.promise, self.words)?;
        write!(f, "To see it again: PAWL_SIM_SEED={} cargo test -p pawl-sim --test worlds", self.seed)
    }
}
