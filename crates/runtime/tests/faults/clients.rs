//! Those who start runs, send them messages and change their minds.

use crate::ledger::Ledger;
use crate::rng::Rng;
use pawl_core::flow::Flow;
use pawl_core::run::Control;
use pawl_core::{Payload, RunId};
use pawl_runtime::{Engine, EngineError, StartRequest};
use pawl_store::OnConflict;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Starts a run, whatever it takes, and then does this and that with it.
pub async fn client(engines: Vec<Engine>, flow: Arc<Flow>, id: RunId, ledger: Arc<Ledger>, mut rng: Rng) {
    sleep(rng.ms(0, 6_000)).await;
    loop {
        let process = rng.below(engines.len() as u64) as usize;
        if patient(engines[process].start(request(&flow, &id))).await.is_some() {
            break;
        }
        sleep(rng.ms(10, 300)).await;
    }
    for wish in 0..rng.below(6) {
        sleep(rng.ms(0, 2_000)).await;
        let process = rng.below(engines.len() as u64) as usize;
        let engine = &engines[process];
        match rng.below(12) {
            0 => {
                let cancel = Control::Cancel { reason: None, by: None };
                if patient(engine.control(id.clone(), cancel)).await.is_some() {
                    ledger.cancelled(process, &id);
                }
            }
            1..4 => {
                patient(engine.control(id.clone(), Control::Pause { reason: None, by: None })).await;
            }
            4..7 => {
                patient(engine.control(id.clone(), Control::Resume { by: None })).await;
            }
            _ => {
                let (name, key) = (["go", "end"][rng.below(2) as usize], format!("{wish}"));
                patient(engine.signal(id.clone(), name, Payload::json("7"), Some(key))).await;
            }
        }
    }
}

pub fn request(flow: &Flow, id: &RunId) -> StartRequest {
    StartRequest {
        flow: flow.name.to_string(),
        hash: Some(flow.hash.clone()),
        id: id.clone(),
        input: Payload::json("1"),
        on_conflict: OnConflict::UseExisting,
    }
}

/// The answer, if there is a good one. A client that waited for too long gives up, and never learns what became of it.
async fn patient<T>(answer: impl Future<Output = Result<T, EngineError>>) -> Option<T> {
    timeout(Duration::from_secs(2), answer).await.ok()?.ok()
}
