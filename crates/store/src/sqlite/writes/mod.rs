//! What changes the database: one file per request, on top of what they share. Each checks before it writes, so that what
//! is refused leaves no trace.

mod branches;
mod claim;
mod commit;
mod flows;
mod hand_back;
mod history;
mod messages;
mod run_state;
mod seat;
mod sessions;
mod signal;
mod start;

pub(super) use branches::line_up_again;
pub(super) use claim::claim;
pub(super) use commit::commit;
pub(super) use flows::register_flows;
pub(super) use hand_back::hand_back;
pub(super) use sessions::{close_session, heartbeat, open_session, reap};
pub(super) use signal::signal;
pub(super) use start::start;

#[cfg(test)]
pub(super) use claim::{DUE_OF_FLOW, DUE_OF_RUN, NEXT_OF_FLOW, NEXT_OF_RUN};
#[cfg(test)]
pub(super) use seat::MOVE;
