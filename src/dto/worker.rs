//! Workers and runners.

use super::run::OnConflictDto;
use pawl_core::{FlowHash, Millis, Path, RunId};
use pawl_runtime::{Abandoned, Health, HealthState};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Arguments of `workerStart`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkerStartArgs {
    /// The number JavaScript gave it.
    pub worker: u32,
    /// Its name, for people.
    pub name: String,
    /// The definitions of its flows; JavaScript finds their functions by the place in this list.
    pub flows: Vec<Box<RawValue>>,
    /// How many attempts run at once.
    pub concurrency: usize,
    /// For how long its claims live without a heartbeat.
    pub claim_ttl_ms: i64,
    /// For how long the event loop may be blocked.
    pub event_loop_budget_ms: i64,
}

/// Arguments of `workerStop`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkerStopArgs {
    /// Which worker.
    pub worker: u32,
    /// How long running attempts may still take.
    pub drain_ms: i64,
}

/// Arguments of `health`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerArgs {
    /// Which worker.
    pub worker: u32,
}

/// Arguments of `run`; the input comes as the payload.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunArgs {
    /// The number JavaScript gave this runner.
    pub worker: u32,
    /// The flow's name.
    pub flow: String,
    /// Its shape.
    pub hash: Option<FlowHash>,
    /// The run's id.
    pub id: RunId,
    /// What to do when the id is in use.
    pub on_conflict: OnConflictDto,
    /// The definitions; see [`WorkerStartArgs::flows`].
    pub flows: Vec<Box<RawValue>>,
    /// How many attempts run at once.
    pub concurrency: usize,
    /// For how long its claims live without a heartbeat.
    pub claim_ttl_ms: i64,
}

/// Arguments of `drive`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DriveArgs {
    /// The number JavaScript gave this runner.
    pub worker: u32,
    /// The run's id.
    pub id: RunId,
    /// The definitions; see [`WorkerStartArgs::flows`].
    pub flows: Vec<Box<RawValue>>,
    /// How many attempts run at once.
    pub concurrency: usize,
    /// For how long its claims live without a heartbeat.
    pub claim_ttl_ms: i64,
}

/// Answer of `workerStop`.
#[derive(Debug, Serialize)]
pub struct StoppedDto {
    abandoned: Vec<AbandonedDto>,
}

/// An attempt that was not waited for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AbandonedDto {
    run_id: RunId,
    path: Path,
    attempt: u32,
}

impl From<Vec<Abandoned>> for StoppedDto {
    fn from(abandoned: Vec<Abandoned>) -> StoppedDto {
        let dto = |Abandoned { run_id, path, attempt }| AbandonedDto { run_id, path, attempt };
        StoppedDto { abandoned: abandoned.into_iter().map(dto).collect() }
    }
}

/// Answer of `health`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthDto {
    state: &'static str,
    last_claim_at: Option<Millis>,
    last_heartbeat_at: Option<Millis>,
    last_commit_at: Option<Millis>,
    last_error: Option<LastErrorDto>,
    running: Vec<RunningDto>,
    slots: usize,
}

/// The last thing that went wrong.
#[derive(Debug, Serialize)]
struct LastErrorDto {
    code: &'static str,
    message: String,
}

/// A running attempt.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RunningDto {
    run_id: RunId,
    path: Path,
    attempt: u32,
    since_ms: i64,
}

impl From<Health> for HealthDto {
    fn from(health: Health) -> HealthDto {
        let running = health.running.into_iter().map(|running| RunningDto {
            run_id: running.run_id,
            path: running.path,
            attempt: running.attempt,
            since_ms: running.since_ms,
        });
        HealthDto {
            state: match health.state {
                HealthState::Ok => "ok",
                HealthState::Degraded => "degraded",
                HealthState::Blocked => "blocked",
                HealthState::Stopping => "stopping",
                HealthState::Stopped => "stopped",
            },
            last_claim_at: health.last_claim_at,
            last_heartbeat_at: health.last_heartbeat_at,
            last_commit_at: health.last_commit_at,
            last_error: health
                .last_error
                .map(|error| LastErrorDto { code: error.code.as_str(), message: error.message }),
            running: running.collect(),
            slots: health.slots,
        }
    }
}
