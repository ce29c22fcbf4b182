//! One turn: what a claimed branch needs, and what its outcome changes. Values in, values out.

mod advance;
mod apply;
mod start;
mod work;

pub use apply::{Outcome, ThrownError, apply};
pub use start::start;
pub use work::{AttemptPlan, Claimed, InputSource, Work, next_work};

/// How often a worker may die while it runs one node before the run is ended as failed. It bounds the harm that one
/// poisonous input can do to a fleet, and leaves room for the crashes of ordinary deploys.
pub const CRASH_COUNT_MAX: u32 = 5;
