//! The deciding part of pawl: graphs, positions and outcomes in, writes and wishes out.
//!
//! Nothing in this crate reads a clock, draws a random number, does I/O, logs or awaits. Time and seeds are arguments,
//! so the same question always gets the same answer, in a test, in a worker and after a crash.

pub mod branch;
pub mod commit;
pub mod error_code;
pub mod flow;
pub mod ids;
pub mod path;
pub mod payload;
pub mod retry;
pub mod run;
pub mod turn;

pub use branch::{BranchState, NewBranch, Phase};
pub use commit::{
    BranchCommit, Change, Commit, Decision, HistoryEvent, HistoryKind, OpenBranches, ResultWrite, RunCommit, Value,
};
pub use error_code::ErrorCode;
pub use flow::{Delay, Flow, Fork, ForkBranch, Node, NodeIndex, NodeKind, OnTimeout, Signal, Step};
pub use ids::{Fence, FlowHash, Millis, RunId, RunNo, SessionNo};
pub use path::{Path, Scope};
pub use payload::Payload;
pub use retry::RetryPolicy;
pub use run::{Failure, RunState};
