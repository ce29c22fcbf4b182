//! Definitions by hash, and the newest of each name.

use super::world::World;
use crate::{FlowLookup, FlowRecord};
use pawl_core::FlowHash;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Flows {
    by_hash: HashMap<FlowHash, FlowRecord>,
    newest: HashMap<String, FlowHash>,
}

impl Flows {
    pub fn name_of(&self, hash: &FlowHash) -> Option<&str> {
        self.by_hash.get(hash).map(|flow| flow.name.as_str())
    }
}

impl World {
    pub fn register_flows(&mut self, flows: Vec<FlowRecord>) {
        for flow in flows {
            self.flows.newest.insert(flow.name.clone(), flow.hash.clone());
            self.flows.by_hash.insert(flow.hash.clone(), flow);
        }
    }

    pub fn find_flow(&self, lookup: &FlowLookup) -> Option<FlowRecord> {
        let hash = match lookup {
            FlowLookup::Hash(hash) => hash,
            FlowLookup::Name(name) => self.flows.newest.get(name)?,
        };
        self.flows.by_hash.get(hash).cloned()
    }
}
