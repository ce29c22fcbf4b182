//! What a caller of the engine is told when a wish is not granted.

use pawl_core::{ErrorCode, Payload};
use pawl_store::StoreError;
use std::fmt;

/// A refusal or a fault, ready to be shown to a user.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineError {
    /// The documented code.
    pub code: ErrorCode,
    /// What happened, to what, and what to do.
    pub message: String,
    /// What a user's function threw, where that is behind it.
    pub cause: Option<Payload>,
}

impl EngineError {
    /// An error without a cause.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> EngineError {
        EngineError { code, message: message.into(), cause: None }
    }

    /// No run has this id.
    pub(crate) fn run_not_found(id: &str) -> EngineError {
        EngineError::new(
            ErrorCode::RunNotFound,
            format!("There is no run with the id {id:?} in this store; check the id, or start it with pawl.start()"),
        )
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        EngineError::new(error.code, error.message)
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for EngineError {}
