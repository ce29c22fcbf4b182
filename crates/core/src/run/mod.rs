//! The state of a run as a whole, who may change it, and what a reader is told.

mod control;
mod view;

pub use control::{Control, Refusal, decide_control};
pub use view::{OpenView, RunView, view};

use crate::error_code::ErrorCode;
use crate::path::Path;
use crate::payload::Payload;

/// The stored state of a run. What a running run waits for follows from its open branches; see [`view`].
#[derive(Clone, Debug, PartialEq)]
pub enum RunState {
    /// Something will move it.
    Running,
    /// Nothing moves it until somebody resumes it.
    Paused {
        /// Why.
        reason: Option<String>,
        /// Who did it.
        by: Option<String>,
    },
    /// It ended well. Its output is the result at this path.
    Completed {
        /// The path of the result that is the run's output.
        output: Path,
    },
    /// It ended badly.
    Failed(Failure),
    /// Somebody ended it.
    Cancelled {
        /// Why.
        reason: Option<String>,
        /// Who did it.
        by: Option<String>,
    },
}

/// What went wrong, at which node.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The documented code.
    pub code: ErrorCode,
    /// The node; `None` for the run as a whole (its deadline).
    pub path: Option<Path>,
    /// Which attempt: the number of times the node's function had been started. 0 where none was.
    pub attempt: u32,
    /// In words.
    pub message: String,
    /// What the user's function threw, as JavaScript wrote it.
    pub cause: Option<Payload>,
}

impl RunState {
    /// The stored number of this state: append only.
    pub fn number(&self) -> u8 {
        match self {
            RunState::Running => 1,
            RunState::Paused { .. } => 2,
            RunState::Completed { .. } => 3,
            RunState::Failed(_) => 4,
            RunState::Cancelled { .. } => 5,
        }
    }

    /// The name users see.
    pub fn as_str(&self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused { .. } => "paused",
            RunState::Completed { .. } => "completed",
            RunState::Failed(_) => "failed",
            RunState::Cancelled { .. } => "cancelled",
        }
    }

    /// Whether the run is over.
    pub fn is_terminal(&self) -> bool {
        !matches!(self, RunState::Running | RunState::Paused { .. })
    }
}
