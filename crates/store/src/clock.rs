//! The store's clock. Time is read here and nowhere else, so a test can move it.

use pawl_core::Millis;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// The longest single sleep: a wall clock that was set meanwhile is noticed at the latest after it.
const SLEEP_MAX: Duration = Duration::from_secs(60);

/// Tells the time and waits for a moment.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Millis;

    /// Resolves when [`Clock::now`] has reached the moment.
    fn until(&self, at: Millis) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The machine's wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn until(&self, at: Millis) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            loop {
                let left_ms = at.0.saturating_sub(SystemClock.now().0);
                if left_ms <= 0 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(left_ms as u64).min(SLEEP_MAX)).await;
            }
        })
    }
}

/// A clock that stands still until a test moves it.
#[derive(Clone, Debug)]
pub struct ManualClock {
    now: watch::Sender<Millis>,
}

impl ManualClock {
    /// A clock that shows this moment.
    pub fn at(now: Millis) -> ManualClock {
        ManualClock { now: watch::Sender::new(now) }
    }

    /// Moves the clock forward and wakes who waited for it.
    pub fn advance(&self, duration_ms: i64) {
        self.now.send_modify(|now| *now = now.plus(duration_ms));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        *self.now.borrow()
    }

    fn until(&self, at: Millis) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut now = self.now.subscribe();
        Box::pin(async move {
            // An error means that the clock is gone, so the moment will never come.
            if now.wait_for(|now| *now >= at).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}
