//! Definitions: checked, stored, and kept at hand by their hash.

use super::Engine;
use crate::error::EngineError;
use pawl_core::flow::{Definition, Flow};
use pawl_core::{ErrorCode, FlowHash};
use pawl_store::{FlowLookup, FlowRecord};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The flows this engine has seen.
#[derive(Default)]
pub(super) struct FlowCache {
    by_hash: Mutex<HashMap<FlowHash, Arc<Flow>>>,
}

impl FlowCache {
    fn get(&self, hash: &FlowHash) -> Option<Arc<Flow>> {
        self.by_hash.lock().unwrap_or_else(PoisonError::into_inner).get(hash).cloned()
    }

    fn put(&self, flow: &Arc<Flow>) {
        self.by_hash.lock().unwrap_or_else(PoisonError::into_inner).insert(flow.hash.clone(), flow.clone());
    }
}

impl Engine {
    /// Checks a definition (JSON, see [`Definition`]), stores it and answers the flow.
    ///
    /// # Errors
    /// `PAWL_FLOW_INVALID` with all problems of the definition; errors of the store.
    pub async fn register(&self, definition_json: &str) -> Result<Arc<Flow>, EngineError> {
        let flow = Arc::new(build(definition_json)?);
        let record =
            FlowRecord { hash: flow.hash.clone(), name: flow.name.to_string(), definition: definition_json.to_owned() };
        self.shared.store.register_flows(vec![record]).await?;
        self.shared.flows.put(&flow);
        Ok(flow)
    }

    /// The flow a new run of this name gets: the one with this hash, or the one registered last.
    pub(super) async fn flow_to_start(&self, name: &str, hash: Option<&FlowHash>) -> Result<Arc<Flow>, EngineError> {
        let flow = match hash {
            Some(hash) => self.flow(hash).await?,
            None => self.stored_flow(FlowLookup::Name(name.to_owned())).await?,
        };
        match flow {
            Some(flow) if *flow.name == *name => Ok(flow),
            Some(flow) => Err(EngineError::new(
                ErrorCode::FlowMismatch,
                format!("The definition {} belongs to the flow {:?}, not to {name:?}", flow.hash, flow.name),
            )),
            None => Err(EngineError::new(
                ErrorCode::FlowUnknown,
                format!(
                    "No flow {name:?} is known to this store; start a worker with it once, or pass the flow itself"
                ),
            )),
        }
    }

    /// The definition of a stored run.
    pub(super) async fn flow_of_run(&self, hash: &FlowHash) -> Result<Arc<Flow>, EngineError> {
        self.flow(hash).await?.ok_or_else(|| {
            EngineError::new(
                ErrorCode::StoreCorrupt,
                format!("The store has a run of the flow {hash}, but not that flow"),
            )
        })
    }

    async fn flow(&self, hash: &FlowHash) -> Result<Option<Arc<Flow>>, EngineError> {
        match self.shared.flows.get(hash) {
            Some(flow) => Ok(Some(flow)),
            None => self.stored_flow(FlowLookup::Hash(hash.clone())).await,
        }
    }

    async fn stored_flow(&self, lookup: FlowLookup) -> Result<Option<Arc<Flow>>, EngineError> {
        let Some(record) = self.shared.store.find_flow(lookup).await? else {
            return Ok(None);
        };
        if let Some(flow) = self.shared.flows.get(&record.hash) {
            return Ok(Some(flow));
        }
        let flow = Arc::new(build(&record.definition).map_err(|error| {
            let message =
                format!("The stored definition of the flow {:?} cannot be read: {}", record.name, error.message);
            EngineError::new(ErrorCode::StoreCorrupt, message)
        })?);
        self.shared.flows.put(&flow);
        Ok(Some(flow))
    }
}

fn build(definition_json: &str) -> Result<Flow, EngineError> {
    let definition: Definition = serde_json::from_str(definition_json)
        .map_err(|problem| invalid(format!("The definition is not one that pawl can read: {problem}")))?;
    definition.build().map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|problem| format!("- {problem}")).collect();
        let count = if lines.len() == 1 { "a problem".to_owned() } else { format!("{} problems", lines.len()) };
        invalid(format!("The flow {:?} has {count}:\n{}", definition.name, lines.join("\n")))
    })
}

fn invalid(message: String) -> EngineError {
    EngineError::new(ErrorCode::FlowInvalid, message)
}
