//! A worker's right to what it holds, kept alive from its own task: one write for everything, four times per lifetime.

use super::tenure::Tenure;
use crate::executor::Executor;
use pawl_core::{Millis, SessionNo};
use pawl_store::{Clock, Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};

/// A lifetime has room for this many renewals, so three can fail before anything is lost.
const RENEWALS_PER_TTL: i64 = 4;
/// How often an unreachable store is asked within a lifetime.
const RETRIES_PER_TTL: i64 = 20;
/// How often a blocked executor is looked at within its budget.
const LOOKS_PER_BUDGET: i64 = 4;
/// No timer here ticks faster than this.
const TICK_MIN: Duration = Duration::from_millis(5);

/// What a lease has to tell its dispatcher.
#[derive(Debug)]
pub(super) enum LeaseNews {
    /// It holds for another lifetime.
    Renewed(Millis),
    /// The store did not answer; what is held is still held.
    Shaky(StoreError),
    /// The executor has not reacted for so long that renewing stopped.
    Blocked { blocked_ms: i64 },
    /// The executor reacts again.
    Free,
    /// The lease is over. Always the last news.
    Lost(Loss),
}

/// How a lease was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// The session is gone from the store: others own what it held.
    TakenOver,
    /// The store could not be reached for a lifetime: others may own what it held.
    RanOut,
    /// The executor did not react for so long that the lifetime ended.
    Blocked,
}

/// All a lease needs.
pub(super) struct Lease {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub executor: Arc<dyn Executor>,
    pub session: SessionNo,
    pub ttl_ms: i64,
    pub event_loop_budget_ms: i64,
    /// By when the lease would be over if it is not renewed: reckoned from before the session was asked for.
    pub until: Instant,
    /// Where this is shown to others.
    pub tenure: Arc<Tenure>,
    pub news: mpsc::UnboundedSender<(SessionNo, LeaseNews)>,
}

impl Lease {
    /// Renews until the lease is lost.
    pub async fn keep(mut self) {
        let (ttl, every) = (millis(self.ttl_ms), tick_of(self.ttl_ms));
        let tick = millis((self.event_loop_budget_ms / LOOKS_PER_BUDGET).min(self.ttl_ms / RENEWALS_PER_TTL));
        let mut renew_at = self.clock.now().plus(self.ttl_ms / RENEWALS_PER_TTL);
        let mut renew_by = self.until - ttl + every;
        let mut blocked = false;
        loop {
            // Both clocks count: the store's decides over the session, and this machine's cannot be set.
            tokio::select! {
                () = self.clock.until(renew_at), if !blocked => {}
                () = sleep(tick) => {}
            }
            let blocked_ms = self.executor.unresponsive_ms();
            if blocked_ms > self.event_loop_budget_ms {
                if !std::mem::replace(&mut blocked, true) {
                    self.tell(LeaseNews::Blocked { blocked_ms });
                }
                if Instant::now() >= self.until {
                    return self.tell(LeaseNews::Lost(Loss::Blocked));
                }
                continue;
            }
            if std::mem::replace(&mut blocked, false) {
                self.tell(LeaseNews::Free);
                renew_by = Instant::now();
            }
            if Instant::now() < renew_by && self.clock.now() < renew_at {
                continue;
            }
            let (asked, asked_at) = (Instant::now(), self.clock.now());
            if let Err(loss) = self.renew().await {
                return self.tell(LeaseNews::Lost(loss));
            }
            renew_at = asked_at.plus(self.ttl_ms / RENEWALS_PER_TTL);
            renew_by = asked + every;
        }
    }

    /// Asks until the store answers or the lease is over.
    async fn renew(&mut self) -> Result<(), Loss> {
        loop {
            let asked = Instant::now();
            // A process that was frozen wakes up late; what became of its claims only the store can tell.
            let patience_ends = if asked < self.until { self.until } else { asked + tick_of(self.ttl_ms) };
            match timeout_at(patience_ends, self.store.heartbeat(self.session, self.ttl_ms)).await {
                Ok(Ok(true)) => {
                    self.until = asked + millis(self.ttl_ms);
                    self.tenure.extend(self.until);
                    self.tell(LeaseNews::Renewed(self.clock.now()));
                    return Ok(());
                }
                Ok(Ok(false)) => return Err(Loss::TakenOver),
                Ok(Err(error)) => {
                    self.tell(LeaseNews::Shaky(error));
                    sleep(millis(self.ttl_ms / RETRIES_PER_TTL)).await;
                }
                Err(_) => return Err(Loss::RanOut),
            }
            if Instant::now() >= self.until {
                return Err(Loss::RanOut);
            }
        }
    }

    fn tell(&self, news: LeaseNews) {
        // A dispatcher that is gone does not mind: its lease goes with it.
        drop(self.news.send((self.session, news)));
    }
}

/// From one renewal to the next.
fn tick_of(ttl_ms: i64) -> Duration {
    millis(ttl_ms / RENEWALS_PER_TTL)
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or_default()).max(TICK_MIN)
}
