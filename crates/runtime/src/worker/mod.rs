//! A worker: one task that owns all its state, and the handle to it.

mod aborts;
mod admit;
mod board;
mod calls;
mod checks;
mod claims;
mod commits;
mod deadlines;
mod dispatcher;
mod doubt;
mod flush;
mod handle;
mod health;
mod joined;
mod launch;
mod lease;
mod options;
mod outage;
mod runner;
mod session;
mod slots;
mod stop;
mod tenure;
mod turns;
mod wait;

pub(crate) use handle::WeakWorker;
pub use handle::{Abandoned, Outcomes, Worker};
pub use health::{Health, HealthState, RunningAttempt};
pub use options::WorkerOptions;

pub(crate) use launch::{Job, Surroundings, launch, open_session};
