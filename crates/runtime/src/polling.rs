//! The fallback of all waiting.

use std::time::Duration;

/// How often a store is asked without any sign that something changed. Everything is told by signs: a commit in this
/// process, a change in another one, a moment that has come. Polling only finds what a lost sign would have told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polling {
    /// The wait after something was found. Default 1 second.
    pub interval_min: Duration,
    /// What the wait grows to while nothing is found. Default 5 seconds.
    pub interval_max: Duration,
}

impl Default for Polling {
    fn default() -> Self {
        Polling { interval_min: Duration::from_secs(1), interval_max: Duration::from_secs(5) }
    }
}

impl Polling {
    /// The wait after the one that found nothing.
    pub(crate) fn slower(self, interval: Duration) -> Duration {
        interval.saturating_mul(2).min(self.interval_max)
    }
}
