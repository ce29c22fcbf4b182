//! One claim on its way through a worker.

use pawl_core::turn::Claimed;
use pawl_core::{Decision, Payload};

/// A claim and how far it has come.
#[derive(Clone, Debug)]
pub struct Job {
    pub claimed: Claimed,
    pub stage: Stage,
}

#[derive(Clone, Debug)]
pub enum Stage {
    /// Handed out. The payload is the input where the worker knows it already: it wrote it in the commit before.
    Handed(Option<Payload>),
    /// Its function runs.
    Running,
    /// To be committed, again and again until the store answers.
    Decided(Decision),
    /// To be given back; whether its function was started.
    GivenUp { started: bool },
}

impl Job {
    pub fn handed(claimed: Claimed, known_input: Option<Payload>) -> Job {
        Job { claimed, stage: Stage::Handed(known_input) }
    }
}
