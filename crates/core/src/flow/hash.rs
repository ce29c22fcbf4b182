//! The structural hash: what makes two definitions "the same shape". docs/FORMATS.md gives the bytes; they never change.

use super::{Definition, NodeShape};
use crate::ids::FlowHash;
use sha2::{Digest, Sha256};

/// Separates hashes of this layout from any other.
const DOMAIN: &str = "pawl flow 1";

/// Half of SHA-256: 128 bits tell the definitions of one database apart.
const HASH_BYTES: usize = 16;

/// The hash over a flow's name and shape: node kinds, paths, branch names, signal names and whether a fork has a join
/// function. Retry, timeouts, the length of delays and the run's deadline are tuning and stay out.
pub(super) fn hash(definition: &Definition) -> FlowHash {
    let mut hasher = Hasher(Sha256::new());
    hasher.text(DOMAIN);
    hasher.text(&definition.name);
    hasher.count(definition.nodes.len());
    for node in &definition.nodes {
        hasher.text(&node.scope);
        hasher.text(&node.name);
        match &node.shape {
            NodeShape::Step { .. } => hasher.text("step"),
            NodeShape::Delay { .. } => hasher.text("delay"),
            NodeShape::Signal { signal, .. } => {
                hasher.text("signal");
                hasher.text(signal);
            }
            NodeShape::Fork { branches, join, .. } => {
                hasher.text(if *join { "fork with join" } else { "fork" });
                hasher.count(branches.len());
                branches.iter().for_each(|branch| hasher.text(branch));
            }
        }
    }
    let digest = hasher.0.finalize();
    let hex: String = digest[..HASH_BYTES].iter().map(|byte| format!("{byte:02x}")).collect();
    FlowHash::from(hex)
}

struct Hasher(Sha256);

impl Hasher {
    /// A text, preceded by its length so that neighbours cannot run into each other.
    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }
}
