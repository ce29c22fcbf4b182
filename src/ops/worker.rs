//! Workers, and runners that drive one run.

use super::read::answer;
use super::value;
use crate::client::{Client, Connected};
use crate::dto::parse;
use crate::dto::worker::{DriveArgs, HealthDto, RunArgs, StoppedDto, WorkerArgs, WorkerStartArgs, WorkerStopArgs};
use crate::error::OpError;
use crate::executor::JsExecutor;
use crate::message::Answer;
use pawl_core::{FlowHash, Payload};
use pawl_runtime::{Engine, StartRequest, WorkerOptions};
use serde_json::value::RawValue;
use std::sync::Arc;

/// For how long the event loop may be blocked under a runner; the same as a worker's default.
const RUNNER_EVENT_LOOP_BUDGET_MS: i64 = 60_000;

pub async fn start(client: &Client, args: &str) -> Result<Answer, OpError> {
    let args: WorkerStartArgs = parse("workerStart", args)?;
    let engine = &client.connected()?.engine;
    let options = WorkerOptions {
        name: args.name,
        flows: register(engine, &args.flows).await?,
        concurrency: args.concurrency,
        claim_ttl_ms: args.claim_ttl_ms,
        event_loop_budget_ms: args.event_loop_budget_ms,
    };
    let executor = executor(client, args.worker, &options);
    match engine.worker(options, executor).await {
        Ok(worker) => client.keep(args.worker, worker),
        Err(error) => {
            client.forget(args.worker);
            return Err(error.into());
        }
    }
    Ok(Answer::done())
}

pub async fn stop(client: &Client, args: &str) -> Result<Answer, OpError> {
    let args: WorkerStopArgs = parse("workerStop", args)?;
    let abandoned = client.worker(args.worker)?.stop(args.drain_ms).await;
    client.forget(args.worker);
    Answer::data(&StoppedDto::from(abandoned))
}

pub fn health(client: &Client, args: &str) -> Result<Answer, OpError> {
    let WorkerArgs { worker } = parse("health", args)?;
    Answer::data(&HealthDto::from(client.worker(worker)?.health()))
}

pub async fn run(client: &Client, args: &str, payload: Option<Payload>) -> Result<Answer, OpError> {
    let args: RunArgs = parse("run", args)?;
    let connected = client.connected()?;
    let request = StartRequest {
        flow: args.flow,
        hash: args.hash,
        id: args.id,
        input: value(payload),
        on_conflict: args.on_conflict.into(),
    };
    let options = runner(connected, &args.flows, args.concurrency, args.claim_ttl_ms).await?;
    let executor = executor(client, args.worker, &options);
    let status = connected.engine.run_here(request, options, executor).await;
    client.forget(args.worker);
    answer(status?)
}

pub async fn drive(client: &Client, args: &str) -> Result<Answer, OpError> {
    let args: DriveArgs = parse("drive", args)?;
    let connected = client.connected()?;
    let options = runner(connected, &args.flows, args.concurrency, args.claim_ttl_ms).await?;
    let executor = executor(client, args.worker, &options);
    let status = connected.engine.drive(args.id, options, executor).await;
    client.forget(args.worker);
    answer(status?)
}

async fn runner(
    connected: &Connected,
    definitions: &[Box<RawValue>],
    concurrency: usize,
    claim_ttl_ms: i64,
) -> Result<WorkerOptions, OpError> {
    Ok(WorkerOptions {
        name: connected.name.clone(),
        flows: register(&connected.engine, definitions).await?,
        concurrency,
        claim_ttl_ms,
        event_loop_budget_ms: RUNNER_EVENT_LOOP_BUDGET_MS,
    })
}

async fn register(engine: &Engine, definitions: &[Box<RawValue>]) -> Result<Vec<Arc<pawl_core::Flow>>, OpError> {
    let mut flows = Vec::with_capacity(definitions.len());
    for definition in definitions {
        flows.push(engine.register(definition.get()).await?);
    }
    Ok(flows)
}

fn executor(client: &Client, worker: u32, options: &WorkerOptions) -> Arc<JsExecutor> {
    let hashes: Vec<FlowHash> = options.flows.iter().map(|flow| flow.hash.clone()).collect();
    client.executor(worker, &hashes)
}
