//! The flows of a world, drawn from its seed.

use crate::rng::Rng;
use pawl_core::flow::{Definition, NodeDefinition, NodeShape};
use pawl_core::{Flow, FlowHash, RetryPolicy};
use pawl_store::FlowRecord;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The messages that runs await: few, so that nodes compete for them.
pub const MESSAGES: [&str; 2] = ["red", "blue"];

const DEPTH_MAX: usize = 2;

/// By hash.
pub type Flows = BTreeMap<FlowHash, Arc<Flow>>;

/// A few flows, and what a store is told of them.
pub fn draw(rng: &mut Rng) -> (Flows, Vec<FlowRecord>) {
    let mut flows = Flows::new();
    let mut records = Vec::new();
    for at in 0..2 + rng.below(2) {
        let mut nodes = Vec::new();
        chain(rng, "", 0, &mut nodes);
        let deadline_ms = rng.permille(100).then(|| rng.within(1_000, 200_000));
        let definition = Definition { name: format!("flow-{at}"), deadline_ms, nodes };
        let flow = definition.build().unwrap_or_else(|problems| panic!("{problems:?} in {definition:?}"));
        records.push(FlowRecord {
            hash: flow.hash.clone(),
            name: definition.name.clone(),
            definition: serde_json::to_string(&definition).expect("a definition is plain data"),
        });
        flows.insert(flow.hash.clone(), Arc::new(flow));
    }
    (flows, records)
}

fn chain(rng: &mut Rng, scope: &str, depth: usize, nodes: &mut Vec<NodeDefinition>) {
    for at in 0..1 + rng.below(3) {
        let name = format!("n{at}");
        let mut node = |shape| nodes.push(NodeDefinition { scope: scope.into(), name: name.clone(), shape });
        match rng.below(8) {
            0 => node(NodeShape::Delay { for_ms: Some(rng.within(0, 9_000)), until: None }),
            1 => node(signal(rng)),
            2 | 3 if depth < DEPTH_MAX => {
                let branches: Vec<String> = (0..1 + rng.below(3)).map(|branch| format!("{name}-{branch}")).collect();
                let join = rng.permille(500);
                let (retry, timeout_ms) = if join { tuning(rng) } else { (RetryPolicy::default(), None) };
                node(NodeShape::Fork { branches: branches.clone(), join, retry, timeout_ms });
                for branch in branches {
                    let scope = if scope.is_empty() { branch } else { format!("{scope}/{branch}") };
                    chain(rng, &scope, depth + 1, nodes);
                }
            }
            _ => {
                let (retry, timeout_ms) = tuning(rng);
                node(NodeShape::Step { retry, timeout_ms });
            }
        }
    }
}

fn signal(rng: &mut Rng) -> NodeShape {
    let timeout_ms = rng.permille(400).then(|| rng.within(0, 60_000));
    let continue_on_timeout = timeout_ms.is_some() && rng.permille(700);
    NodeShape::Signal { signal: (*rng.pick(&MESSAGES)).into(), timeout_ms, continue_on_timeout }
}

fn tuning(rng: &mut Rng) -> (RetryPolicy, Option<i64>) {
    let retry = RetryPolicy {
        max_attempts: 1 + rng.below(4) as u32,
        backoff_ms: rng.within(0, 3_000),
        jitter: rng.permille(500),
        ..RetryPolicy::default()
    };
    (retry, rng.permille(300).then(|| rng.within(1, 40_000)))
}
