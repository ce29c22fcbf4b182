//! The acting part of pawl: it claims due work, hands it to an executor, lets `core` decide over the outcome and commits.
//! It knows no user function, no SQL and no JavaScript.

mod detail;
mod engine;
mod error;
mod event;
mod executor;
mod hub;
mod polling;
mod worker;

pub use engine::{Engine, Explanation, RunPage, RunStatus, StartReply, StartRequest};
pub use error::EngineError;
pub use event::WorkerEvent;
pub use executor::{AbortReason, Attempt, AttemptId, AttemptOutcome, Executor};
pub use polling::Polling;
pub use worker::{Abandoned, Health, HealthState, Outcomes, RunningAttempt, Worker, WorkerOptions};
