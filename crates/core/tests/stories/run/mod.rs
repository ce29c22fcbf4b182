//! A run in memory that does with decisions what a store does with them, and nothing else.

mod flow;
mod story;
mod table;

pub use flow::{Part, definition, delay, delay_until, fork, signal, step};
pub use story::Run;
pub use table::{Holder, Table};

use pawl_core::ErrorCode;
use pawl_core::turn::ThrownError;

/// What a step throws that may be tried again.
pub fn thrown(message: &str) -> ThrownError {
    ThrownError {
        code: ErrorCode::StepFailed,
        message: message.into(),
        cause: None,
        retryable: true,
        retry_after_ms: None,
    }
}
