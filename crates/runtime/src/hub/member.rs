//! One listener of the hub: a worker or a runner.

use crate::executor::AbortReason;
use pawl_core::{FlowHash, Millis, RunNo};
use pawl_store::ClaimFilter;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use tokio::sync::{Notify, mpsc};

/// Something that attempts should know at once.
#[derive(Clone, Debug)]
pub(crate) enum Notice {
    /// Attempts of this run should stop.
    RunStopped { run: RunNo, reason: AbortReason },
    /// Somebody let go of a branch of this runner's run.
    RunMoved,
}

/// All wake-ups of a listener come down to one number: when work may be due that it could do.
pub(crate) struct Member {
    filter: Filter,
    due_at: Mutex<Option<Millis>>,
    earlier: Notify,
    notices: mpsc::UnboundedSender<Notice>,
}

enum Filter {
    Flows(HashSet<FlowHash>),
    Run(RunNo),
}

impl Member {
    pub(super) fn new(filter: &ClaimFilter) -> (Member, mpsc::UnboundedReceiver<Notice>) {
        let filter = match filter {
            ClaimFilter::Flows(flows) => Filter::Flows(flows.iter().cloned().collect()),
            ClaimFilter::Run(run) => Filter::Run(*run),
        };
        let (notices, inbox) = mpsc::unbounded_channel();
        (Member { filter, due_at: Mutex::new(None), earlier: Notify::new(), notices }, inbox)
    }

    pub(super) fn does(&self, flow: &FlowHash, run: RunNo) -> bool {
        match &self.filter {
            Filter::Flows(flows) => flows.contains(flow),
            Filter::Run(own) => *own == run,
        }
    }

    pub(super) fn drives(&self, run: RunNo) -> bool {
        matches!(&self.filter, Filter::Run(own) if *own == run)
    }

    pub(super) fn notify(&self, notice: Notice) {
        // A listener that is gone has no attempts left to stop.
        drop(self.notices.send(notice));
    }

    /// Work may be due at this moment. Wakes the listener if that is earlier than all it knew.
    pub fn due(&self, at: Millis) {
        let mut due_at = self.lock();
        if due_at.is_none_or(|known| at < known) {
            *due_at = Some(at);
            drop(due_at);
            self.earlier.notify_one();
        }
    }

    /// When work may be due.
    pub fn due_at(&self) -> Option<Millis> {
        *self.lock()
    }

    /// Forgets the moment; whoever claims then hears of everything that is let go from here on.
    pub fn take(&self) {
        *self.lock() = None;
    }

    /// Resolves when the moment has moved to an earlier one since the last call.
    pub async fn earlier(&self) {
        self.earlier.notified().await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Millis>> {
        self.due_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
