//! Which runs a list with a status filter shows.

use crate::{RunRecord, StatusFilter};
use pawl_core::Millis;
use pawl_core::run::{RunView, view};

/// Whether a run has this status now, in the words users see.
pub fn matches(filter: StatusFilter, run: &RunRecord, now: Millis) -> bool {
    filter == status(&view(&run.state, &run.open, None, now))
}

fn status(view: &RunView) -> StatusFilter {
    match view {
        RunView::Running => StatusFilter::Running,
        RunView::Waiting { .. } => StatusFilter::Waiting,
        RunView::AwaitingSignal { .. } => StatusFilter::AwaitingSignal,
        RunView::Paused { .. } => StatusFilter::Paused,
        RunView::Completed { .. } => StatusFilter::Completed,
        RunView::Failed(_) => StatusFilter::Failed,
        RunView::Cancelled { .. } => StatusFilter::Cancelled,
    }
}
