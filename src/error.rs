//! What goes wrong on the way between JavaScript and the engine, as data.

use pawl_core::{ErrorCode, Payload};
use pawl_runtime::EngineError;
use std::fmt;

/// Why a request was not done. It crosses the bridge as JSON and becomes a `PawlError` in the realm of the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct OpError {
    /// The documented code.
    pub code: ErrorCode,
    /// What happened, to what, and what to do.
    pub message: String,
    /// What a user's function threw, where that is the reason.
    pub cause: Option<Payload>,
}

impl OpError {
    /// An error without a cause.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> OpError {
        OpError { code, message: message.into(), cause: None }
    }

    /// A fault of pawl itself.
    pub fn internal(message: impl Into<String>) -> OpError {
        OpError::new(ErrorCode::Internal, message)
    }
}

impl From<EngineError> for OpError {
    fn from(EngineError { code, message, cause }: EngineError) -> OpError {
        OpError { code, message, cause }
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for OpError {}
