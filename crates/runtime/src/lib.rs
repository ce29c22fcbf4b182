//! The acting part of pawl: it claims due work, hands it to an executor, lets `core` decide over the outcome and commits.
//! It knows no user function, no SQL and no JavaScript.

mod executor;

pub use executor::{AbortReason, Attempt, AttemptId, AttemptOutcome, Executor};
