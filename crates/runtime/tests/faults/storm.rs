//! One storm from its beginning to the look around afterwards.

use crate::clients::{client, request};
use crate::executor::{Erratic, Handle};
use crate::ledger::Ledger;
use crate::rigged::Rigged;
use crate::rng::Rng;
use crate::weather::Weather;
use pawl_core::flow::Flow;
use pawl_core::run::Control;
use pawl_core::{Millis, Payload, RunId, RunState, SessionNo};
use pawl_runtime::{Engine, HealthState, Polling, Worker, WorkerOptions};
use pawl_store::{ListQuery, ManualClock, MemoryStore, Store};
use serde_json::json;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const TTL_MS: i64 = 1_000;
const TICK_MS: u64 = 25;
const STORM_MS: u64 = 12_000;
const CALM_MS: u64 = 240_000;
const RUN_COUNT: usize = 14;

/// A process with its workers.
struct Process {
    weather: Arc<Mutex<Weather>>,
    store: Arc<Rigged>,
    engine: Engine,
    workers: Vec<(Worker, Arc<Erratic>)>,
}

struct World {
    seed: u64,
    rng: Rng,
    clock: ManualClock,
    base: Arc<dyn Store>,
    flows: Vec<Arc<Flow>>,
    ledger: Arc<Ledger>,
    processes: Vec<Process>,
    process_count: usize,
}

/// What went wrong in the storm of this seed.
pub async fn storm(seed: u64) -> Vec<String> {
    let clock = ManualClock::at(Millis(1_000_000));
    let base: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    let flows = flows(&Engine::new(base.clone())).await;
    let (rng, ledger) = (Rng::new(seed, 0), Arc::default());
    let mut world = World { seed, rng, clock, base, flows, ledger, processes: Vec::new(), process_count: 0 };
    world.open(&[3, 2]).await;
    world.open(&[4]).await;
    world.rage().await;
    world.calm_down().await;
    world.look_around().await;
    world.ledger.broken()
}

async fn flows(engine: &Engine) -> Vec<Arc<Flow>> {
    let retry = json!({ "maxAttempts": 4, "backoffMs": 50 });
    let step = |scope: &str, name: &str| json!({ "scope": scope, "name": name, "kind": "step", "retry": retry });
    let timed = |scope: &str, name: &str| json!({ "scope": scope, "name": name, "kind": "step", "retry": retry, "timeoutMs": 700 });
    let wide = json!({ "name": "wide", "nodes": [
        timed("", "a"),
        { "scope": "", "name": "all", "kind": "fork", "branches": ["x", "y", "z"], "join": true, "retry": retry },
        step("x", "work"),
        { "scope": "y", "name": "nap", "kind": "delay", "forMs": 300 },
        timed("y", "timed"),
        { "scope": "z", "name": "go", "kind": "signal", "signal": "go" },
        step("", "after"),
        { "scope": "", "name": "end", "kind": "signal", "signal": "end", "timeoutMs": 60_000, "continueOnTimeout": true },
        step("", "last"),
    ]});
    let plain = json!({ "name": "plain", "nodes": [
        step("", "one"),
        step("", "two"),
        { "scope": "", "name": "both", "kind": "fork", "branches": ["l", "r"] },
        step("l", "left"),
        step("r", "right"),
        step("", "three"),
        { "scope": "", "name": "end", "kind": "signal", "signal": "end", "timeoutMs": 500, "continueOnTimeout": true },
        { "scope": "", "name": "go", "kind": "signal", "signal": "go", "timeoutMs": 500, "continueOnTimeout": true },
    ]});
    let probe = json!({ "name": "probe", "nodes": [step("", "probe")] });
    let mut flows = Vec::new();
    for definition in [wide, plain, probe] {
        flows.push(engine.register(&definition.to_string()).await.expect("the flow is valid"));
    }
    flows
}

impl World {
    /// Another process, with a worker of so many slots each.
    async fn open(&mut self, concurrencies: &[usize]) {
        let number = self.process_count;
        self.process_count += 1;
        let store = Rigged::new(self.base.clone());
        self.processes.iter().for_each(|other| other.store.link(&store));
        let weather = Weather::new(Rng::new(self.seed, 100 + number as u64));
        let sky = weather.clone();
        store.set_weather(Box::new(move |_| sky.lock().unwrap().fault()));
        let polling = Polling::default();
        let engine = Engine::polling(store.clone(), tokio::runtime::Handle::current(), polling);
        let mut workers = Vec::new();
        for (at, concurrency) in concurrencies.iter().enumerate() {
            let rng = Rng::new(self.seed, 1_000 + number as u64 * 10 + at as u64);
            let executor = Erratic::new(number, self.ledger.clone(), rng);
            let options = WorkerOptions {
                name: format!("{number}.{at}"),
                flows: self.flows.clone(),
                concurrency: *concurrency,
                claim_ttl_ms: TTL_MS,
                event_loop_budget_ms: 1_000_000,
            };
            let worker = engine.worker(options, Arc::new(Handle(executor.clone()))).await.expect("no storm yet");
            workers.push((worker, executor));
        }
        self.processes.push(Process { weather, store, engine, workers });
    }

    async fn tick(&self) {
        sleep(Duration::from_millis(TICK_MS)).await;
        self.clock.advance(TICK_MS as i64);
    }

    async fn rage(&mut self) {
        let clients: Vec<Engine> = self.processes.iter().map(|process| process.engine.clone()).collect();
        for run in 0..RUN_COUNT {
            let (flow, id) = (self.flows[run % 2].clone(), RunId::from(format!("run-{run}").as_str()));
            let rng = Rng::new(self.seed, 10_000 + run as u64);
            tokio::spawn(client(clients.clone(), flow, id, self.ledger.clone(), rng));
        }
        let deadly = self.rng.chance(400);
        let leaping = self.rng.chance(300);
        self.processes.iter().for_each(|process| process.weather.lock().unwrap().stormy = true);
        for _ in 0..STORM_MS / TICK_MS {
            self.tick().await;
            let (victim, now) = (self.rng.below(self.processes.len() as u64) as usize, Instant::now());
            if self.rng.chance(8) {
                let length = self.rng.ms(100, 4_000);
                self.processes[victim].weather.lock().unwrap().away_until = now + length;
            }
            if self.rng.chance(3) {
                let length = self.rng.ms(100, 4_000);
                self.processes.iter().for_each(|process| process.weather.lock().unwrap().away_until = now + length);
            }
            if self.rng.chance(5) {
                let length = self.rng.ms(100, 3_000);
                self.processes[victim].weather.lock().unwrap().frozen_until = now + length;
            }
            if leaping && self.rng.chance(3) {
                let leap_ms = self.rng.ms(500, 8_000).as_millis() as i64;
                self.clock.advance(leap_ms);
            }
            // The first process stays: clients must have somebody to ask.
            if deadly && self.processes.len() > 1 && self.rng.chance(4) {
                self.die();
                self.open(&[3]).await;
                self.processes.iter().for_each(|process| process.weather.lock().unwrap().stormy = true);
            }
        }
    }

    /// The youngest process never acts again.
    fn die(&mut self) {
        let Some(dead) = self.processes.pop() else { return };
        dead.weather.lock().unwrap().dead = true;
        dead.workers.iter().for_each(|(_, executor)| executor.dead.store(true, Ordering::SeqCst));
    }

    /// The faults are over: everything must come to its end now.
    async fn calm_down(&self) {
        for process in &self.processes {
            process.weather.lock().unwrap().stormy = false;
            process.workers.iter().for_each(|(_, executor)| executor.calm.store(true, Ordering::SeqCst));
        }
        let engine = &self.processes[0].engine;
        for tick in 0..CALM_MS / TICK_MS {
            self.tick().await;
            if tick % 40 != 0 {
                continue;
            }
            let runs = self.runs().await;
            let over = runs.iter().filter(|run| run.state.is_terminal()).count();
            // Late clients may still pause runs or start them.
            if over == RUN_COUNT && tick * TICK_MS > 15_000 {
                return;
            }
            for run in runs.iter().filter(|run| !run.state.is_terminal()) {
                let id = || run.id.clone();
                if matches!(run.state, RunState::Paused { .. }) {
                    drop(engine.control(id(), Control::Resume { by: None }).await);
                }
                for name in ["go", "end"] {
                    drop(engine.signal(id(), name, Payload::json("8"), Some("calm".into())).await);
                }
            }
        }
        for run in self.runs().await.iter().filter(|run| !run.state.is_terminal()) {
            let why = engine.explain(run.id.clone()).await.map(|explanation| format!("{:?}", explanation.record.open));
            self.ledger.broke(format!("{:?} never ended: {why:?}", run.id));
        }
    }

    async fn runs(&self) -> Vec<pawl_store::RunRecord> {
        let query = ListQuery { limit: 1_000, ..ListQuery::default() };
        self.base.list(query).await.expect("the store itself works")
    }

    async fn look_around(&self) {
        for _ in 0..200 {
            self.tick().await;
        }
        for run in self.runs().await {
            let flow = self.flows.iter().find(|flow| flow.hash == run.flow).expect("a known flow");
            self.ledger.audit(&self.base, flow, &run).await;
        }
        let newest = SessionNo(10_000);
        for session in 1..newest.0 {
            let held = self.base.held(SessionNo(session)).await.expect("the store itself works");
            if !held.is_empty() {
                self.ledger.broke(format!("session {session} still holds {held:?}"));
            }
        }
        self.fill_all_slots().await;
        for (worker, _) in self.workers() {
            let health = worker.health();
            if health.state != HealthState::Ok || !health.running.is_empty() {
                self.ledger.broke(format!("a worker is not well: {health:?}"));
            }
        }
    }

    /// A slot that is lost is one that takes no work any more.
    async fn fill_all_slots(&self) {
        let slots: usize = self.workers().map(|(worker, _)| worker.health().slots).sum();
        for probe in 0..slots {
            let id = RunId::from(format!("probe-{probe}").as_str());
            let started = self.processes[0].engine.start(request(&self.flows[2], &id)).await;
            started.expect("the storm is over");
        }
        for _ in 0..800 {
            self.tick().await;
            if self.workers().all(|(worker, _)| worker.health().running.len() == worker.health().slots) {
                break;
            }
        }
        for (worker, _) in self.workers().filter(|(worker, _)| worker.health().running.len() < worker.health().slots) {
            self.ledger.broke(format!("a worker has lost slots: {:?}", worker.health()));
        }
        self.workers().for_each(|(_, executor)| executor.finish_probes());
        for _ in 0..80 {
            self.tick().await;
        }
    }

    fn workers(&self) -> impl Iterator<Item = &(Worker, Arc<Erratic>)> {
        self.processes.iter().flat_map(|process| &process.workers)
    }
}
