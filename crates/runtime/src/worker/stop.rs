//! Leaving in good order, within a bounded time.

use super::dispatcher::Dispatcher;
use super::handle::Abandoned;
use super::session::Session;
use super::slots::Stage;
use crate::executor::{AbortReason, AttemptId};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// For how long, after the drain, a store that is away is waited for. Giving claims back is a courtesy: what is not given
/// back is taken over when the session runs out.
const RELEASE_TIME_MAX: Duration = Duration::from_secs(3);

/// A stop in progress.
pub(super) struct Stopping {
    /// Until when running attempts may finish.
    until: Instant,
    drained: bool,
}

impl Stopping {
    fn give_up_at(&self) -> Instant {
        self.until + RELEASE_TIME_MAX
    }

    /// When there is something to do next.
    pub fn next_at(&self, now: Instant) -> Instant {
        if now < self.until { self.until } else { self.give_up_at() }
    }
}

impl Dispatcher {
    /// Begins to stop, or stops sooner.
    pub fn stop(&mut self, until: Instant) {
        match &mut self.stopping {
            Some(stopping) => stopping.until = stopping.until.min(until),
            None => {
                self.stopping = Some(Stopping { until, drained: false });
                self.board.update().stopping = true;
                self.hand_back_loading();
            }
        }
    }

    /// The store was closed under this worker: nothing can be given back any more.
    pub fn store_closed(&mut self) {
        for id in self.slots.ids() {
            self.abandon(id, AbortReason::ClaimLost);
        }
        self.turns.clear();
        self.hand_backs.clear();
        let now = Instant::now();
        self.stopping = Some(Stopping { until: now.checked_sub(RELEASE_TIME_MAX).unwrap_or(now), drained: true });
        self.board.update().stopping = true;
    }

    /// Nothing that has not been started is started any more.
    pub fn hand_back_loading(&mut self) {
        for id in self.slots.ids() {
            if self.slots.get(id).is_some_and(|slot| slot.stage == Stage::Loading)
                && let Some(slot) = self.slots.remove(id)
            {
                self.hand_back_unstarted(&slot.claimed);
            }
        }
    }

    /// Aborts what is still running when the drain is over.
    pub fn drain(&mut self) {
        let over = self.stopping.as_mut().is_some_and(|stopping| {
            Instant::now() >= stopping.until && !std::mem::replace(&mut stopping.drained, true)
        });
        if !over {
            return;
        }
        for id in self.slots.ids() {
            self.abandon(id, AbortReason::Drained);
        }
    }

    fn abandon(&mut self, id: AttemptId, reason: AbortReason) {
        if !self.not_running(id) {
            return;
        }
        self.aborts.push((id, reason));
        self.name_abandoned(id);
        self.give_back_started(id);
    }

    fn name_abandoned(&mut self, id: AttemptId) {
        if let Some(slot) = self.slots.get(id) {
            self.abandoned.push(Abandoned {
                run_id: slot.claimed.run_id.clone(),
                path: slot.claimed.state.node.clone(),
                attempt: slot.claimed.attempt,
            });
        }
    }

    /// Whether there is nothing left to do, or nothing left to hope for.
    pub fn is_done(&self) -> bool {
        let Some(stopping) = &self.stopping else {
            return self.rest.is_over();
        };
        let clean =
            self.slots.is_empty() && self.hand_backs.is_empty() && self.turns.is_empty() && !self.calls.changing();
        clean || Instant::now() >= stopping.give_up_at()
    }

    /// Closes the session and reports. What is still undecided here was run, but its result could not be stored.
    pub async fn leave(mut self) -> Vec<Abandoned> {
        for id in self.slots.ids() {
            self.name_abandoned(id);
        }
        self.reach_out();
        let give_up_at = match &self.stopping {
            Some(stopping) => stopping.give_up_at(),
            None => Instant::now() + RELEASE_TIME_MAX,
        };
        if let Session::Open { no, lease } = std::mem::replace(&mut self.session, Session::None) {
            // A renewal that is on its way may come after the close: it finds nothing to renew.
            drop(lease);
            match timeout_at(give_up_at, self.around.store.close_session(no)).await {
                Ok(Ok(())) => self.around.hub.anything_due(self.now()),
                Ok(Err(error)) => tracing::debug!(%error, "a session is left to run out: its store is away"),
                Err(_) => tracing::debug!("a session is left to run out: its store does not answer"),
            }
        }
        let mut shown = self.board.update();
        shown.stopped = true;
        drop(shown);
        self.abandoned
    }
}
