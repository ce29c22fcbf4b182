//! One store, its clock, and an engine over it.

use super::place::Place;
use super::{Rigged, Script, json, soon};
use pawl_core::flow::Flow;
use pawl_core::run::{Control, RunView};
use pawl_core::{Millis, Payload, RunId};
use pawl_runtime::{Engine, EngineError, Polling, RunStatus, StartReply, StartRequest, Worker, WorkerOptions};
use pawl_store::{ManualClock, OnConflict, Store};
use serde_json::{Value, json as value};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// No polling: whatever happens in a story has been told by a sign.
const NEVER: Polling = Polling { interval_min: Duration::from_secs(86_400), interval_max: Duration::from_secs(86_400) };

/// Tells the probes of all worlds apart.
static PROBE_COUNT: AtomicUsize = AtomicUsize::new(0);

/// When stories begin.
pub const START: Millis = Millis(1_000_000);

/// See the module.
pub struct World {
    pub clock: ManualClock,
    /// The store itself, which does as it is told.
    pub base: Arc<dyn Store>,
    place: Place,
    pub store: Arc<Rigged>,
    pub engine: Engine,
}

/// A worker with these flows, eight slots and a claim that outlives every story, unless the story says otherwise.
pub fn options(flows: &[&Arc<Flow>]) -> WorkerOptions {
    WorkerOptions {
        name: "ada".into(),
        flows: flows.iter().map(|flow| Arc::clone(flow)).collect(),
        concurrency: 8,
        claim_ttl_ms: 10_000_000,
        event_loop_budget_ms: 1_000_000,
    }
}

impl World {
    pub fn new() -> World {
        World::polling(NEVER)
    }

    /// The same, with a fallback.
    pub fn polling(polling: Polling) -> World {
        World::over(ManualClock::at(START), Place::new(), &Handle::current(), polling)
    }

    fn over(clock: ManualClock, place: Place, runtime: &Handle, polling: Polling) -> World {
        let base = place.open(&clock);
        let store = Rigged::new(base.clone());
        let engine = Engine::polling(store.clone(), runtime.clone(), polling);
        World { clock, base, place, store, engine }
    }

    /// Another process with the same database. Over the memory store, what it does is heard of here only after
    /// [`Rigged::link`] or as [`Rigged::foreign_change`].
    pub fn neighbour(&self) -> World {
        self.neighbour_on(&Handle::current())
    }

    /// The same, on a runtime of its own: when that is shut down, the process has died.
    pub fn neighbour_on(&self, runtime: &Handle) -> World {
        World::over(self.clock.clone(), self.place.clone(), runtime, NEVER)
    }

    /// Returns when a worker that knows this flow has done everything it could do before.
    pub async fn settle(&self, probe: &Flow) {
        let id = format!("probe-{}", PROBE_COUNT.fetch_add(1, Ordering::Relaxed));
        self.start(probe, &id).await;
        self.end(&id).await;
    }

    /// A flow of these nodes: `step`, `delay`, `signal`, `fork` as JSON, see [`pawl_core::flow::Definition`].
    pub async fn flow(&self, name: &str, nodes: Value) -> Arc<Flow> {
        self.register(value!({ "name": name, "nodes": nodes })).await
    }

    pub async fn register(&self, definition: Value) -> Arc<Flow> {
        self.engine.register(&definition.to_string()).await.expect("the story's flow is valid")
    }

    /// A flow of plain steps.
    pub async fn steps(&self, name: &str, steps: &[&str]) -> Arc<Flow> {
        let nodes = steps.iter().map(|step| value!({ "scope": "", "name": step, "kind": "step" })).collect();
        self.flow(name, nodes).await
    }

    /// A fork with one step per branch, and a join function if its name is given.
    pub async fn fork(&self, name: &str, branches: &[&str], join: bool) -> Arc<Flow> {
        let mut nodes =
            vec![value!({ "scope": "", "name": "all", "kind": "fork", "branches": branches, "join": join })];
        nodes.extend(branches.iter().map(|branch| value!({ "scope": branch, "name": "work", "kind": "step" })));
        self.flow(name, nodes.into()).await
    }

    pub async fn worker(&self, options: WorkerOptions, script: &Arc<Script>) -> Worker {
        self.engine.worker(options, script.clone()).await.expect("the worker starts")
    }

    pub async fn start(&self, flow: &Flow, id: &str) -> StartReply {
        self.try_start(flow, id, OnConflict::Fail).await.expect("the run starts")
    }

    pub async fn try_start(&self, flow: &Flow, id: &str, on_conflict: OnConflict) -> Result<StartReply, EngineError> {
        self.engine.start(request(flow, id, json("1"), on_conflict)).await
    }

    /// Starts a run and drives it in this process.
    pub async fn run_here(&self, flow: &Arc<Flow>, id: &str, script: &Arc<Script>) -> Result<RunStatus, EngineError> {
        let request = request(flow, id, json("1"), OnConflict::UseExisting);
        soon("the runner comes to rest", self.engine.run_here(request, options(&[flow]), script.clone())).await
    }

    pub async fn signal(&self, id: &str, name: &str, payload: Payload) -> bool {
        self.engine.signal(RunId::from(id), name, payload, None).await.expect("the signal is taken")
    }

    pub async fn cancel(&self, id: &str) {
        let control = Control::Cancel { reason: Some("no stock".into()), by: Some("ops".into()) };
        self.engine.control(RunId::from(id), control).await.expect("the run is cancelled");
    }

    pub async fn pause(&self, id: &str) {
        let control = Control::Pause { reason: None, by: None };
        self.engine.control(RunId::from(id), control).await.expect("the run is paused");
    }

    pub async fn resume(&self, id: &str) {
        self.engine.control(RunId::from(id), Control::Resume { by: None }).await.expect("the run is resumed");
    }

    pub async fn view(&self, id: &str) -> RunView {
        self.engine.status(RunId::from(id)).await.expect("the run is there").view
    }

    /// Waits until the run's first branch is held by this worker, or by none.
    pub async fn held_by(&self, id: &str, worker: Option<&str>) {
        let held = async {
            while self.engine.explain(RunId::from(id)).await.expect("the run is there").record.open[0].worker.as_deref()
                != worker
            {
                tokio::task::yield_now().await;
            }
        };
        soon(&format!("{id} is held by {worker:?}"), held).await;
    }

    /// Waits until the run is seen as the story wants it.
    pub async fn viewed(&self, id: &str, holds: impl Fn(&RunView) -> bool) {
        let reached = async {
            while !holds(&self.view(id).await) {
                tokio::task::yield_now().await;
            }
        };
        soon(&format!("{id} is seen as expected"), reached).await;
    }

    /// The end of a run.
    pub async fn end(&self, id: &str) -> RunView {
        let end = soon(&format!("the end of {id}"), self.engine.result(RunId::from(id), None)).await;
        end.expect("the run is there").view
    }

    /// Somebody who waits for the end of a run, and has seen that it is not over.
    pub async fn waiter(&self, id: &str) -> JoinHandle<Result<RunStatus, EngineError>> {
        let (engine, id, looks) = (self.engine.clone(), RunId::from(id), self.store.count("run"));
        let waiter = tokio::spawn(async move { engine.result(id, None).await });
        // It looks once before it registers, and once after.
        self.store.asked("run", looks + 2).await;
        waiter
    }

    /// The output of a run that completes.
    pub async fn output(&self, id: &str) -> String {
        match self.end(id).await {
            RunView::Completed { output: Some(output) } => super::text(&output).to_owned(),
            other => panic!("{id} did not complete: {other:?}"),
        }
    }
}

fn request(flow: &Flow, id: &str, input: Payload, on_conflict: OnConflict) -> StartRequest {
    StartRequest { flow: flow.name.to_string(), hash: Some(flow.hash.clone()), id: RunId::from(id), input, on_conflict }
}
