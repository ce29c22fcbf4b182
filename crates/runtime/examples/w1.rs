//! W1 without Node: ten steps per run, a hundred runs unfinished at once, over the memory store or a database file.
//!
//! `cargo run --release -p pawl-runtime --example w1 [runs [file]]`

use pawl_core::{Payload, RunId};
use pawl_runtime::{
    AbortReason, Attempt, AttemptId, AttemptOutcome, Engine, Executor, Outcomes, StartRequest, WorkerOptions,
};
use pawl_store::{MemoryStore, OnConflict, SqliteOptions, SqliteStore, Store, SystemClock};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

const STEPS: usize = 10;
const UNFINISHED_MAX: usize = 100;

/// Every step is `x => x + 1`.
#[derive(Default)]
struct PlusOne {
    outcomes: OnceLock<Outcomes>,
}

impl Executor for PlusOne {
    fn run(&self, attempts: Vec<Attempt>) {
        let plus_one = |attempt: Attempt| {
            let input: i64 = std::str::from_utf8(&attempt.input.bytes).unwrap_or("0").parse().unwrap_or(0);
            (attempt.id, AttemptOutcome::Succeeded(Payload::json((input + 1).to_string())))
        };
        if let Some(outcomes) = self.outcomes.get() {
            outcomes.deliver(attempts.into_iter().map(plus_one).collect());
        }
    }

    fn abort(&self, _: Vec<(AttemptId, AbortReason)>) {}

    fn unresponsive_ms(&self) -> i64 {
        0
    }

    fn attached(&self, outcomes: Outcomes) {
        self.outcomes.get_or_init(|| outcomes);
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(20_000), |text| text.parse())?;
    let store: Arc<dyn Store> = match std::env::args().nth(2) {
        Some(file) => Arc::new(SqliteStore::open(file, SqliteOptions::default())?),
        None => Arc::new(MemoryStore::new(Arc::new(SystemClock))),
    };
    let engine = Engine::new(store);
    let nodes: Vec<_> =
        (0..STEPS).map(|n| serde_json::json!({ "scope": "", "name": format!("s{n}"), "kind": "step" })).collect();
    let flow = engine.register(&serde_json::json!({ "name": "w1", "nodes": nodes }).to_string()).await?;
    let options = WorkerOptions {
        name: "w1".into(),
        flows: vec![flow.clone()],
        concurrency: UNFINISHED_MAX,
        claim_ttl_ms: 20_000,
        event_loop_budget_ms: 10_000,
    };
    let worker = engine.worker(options, Arc::new(PlusOne::default())).await?;

    let (began, cpu_began) = (Instant::now(), cpu_seconds()?);
    let mut clients = Vec::new();
    for client in 0..UNFINISHED_MAX {
        let (engine, flow) = (engine.clone(), flow.clone());
        clients.push(tokio::spawn(async move {
            for run in (client..runs).step_by(UNFINISHED_MAX) {
                let id = RunId::from(format!("run-{run}"));
                let request = StartRequest {
                    flow: flow.name.to_string(),
                    hash: Some(flow.hash.clone()),
                    id: id.clone(),
                    input: Payload::json("0"),
                    on_conflict: OnConflict::Fail,
                };
                engine.start(request).await?;
                let output = engine.result(id, None).await?.payload;
                assert_eq!(output, Some(Payload::json(STEPS.to_string())));
            }
            Ok::<(), pawl_runtime::EngineError>(())
        }));
    }
    for client in clients {
        client.await??;
    }
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), cpu_seconds()? - cpu_began);
    let steps = (runs * STEPS) as f64;
    println!("{:.0} steps/s, {:.1} µs of CPU per step, {seconds:.2} s", steps / seconds, cpu / steps * 1e6);
    worker.stop(0).await;
    engine.close().await;
    Ok(())
}

/// The CPU time of this process so far, where the system tells it (Linux).
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> =
        after_name.split_whitespace().skip(11).take(2).map_while(|field| field.parse().ok()).collect();
    Ok(ticks.iter().sum::<f64>() / 100.0)
}
