//! What a store says when it cannot do its work.

use pawl_core::ErrorCode;
use std::fmt;

/// A store could not do what was asked, and stored nothing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The documented code.
    pub code: ErrorCode,
    /// What happened, to which database, and what to do.
    pub message: String,
    /// Whether the same call may work later, without anybody doing anything but wait.
    pub passing: bool,
}

impl StoreError {
    /// The client was closed.
    pub fn closed() -> StoreError {
        let message = "The store is closed; open a new connection with Pawl.connect()".into();
        StoreError { code: ErrorCode::Closed, message, passing: false }
    }

    /// A row does not say what it should.
    pub fn damaged(what: impl fmt::Display) -> StoreError {
        let message = format!("The database is damaged: {what}; restore it from a backup");
        StoreError { code: ErrorCode::StoreCorrupt, message, passing: false }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for StoreError {}
