//! Until when a worker may believe that it owns what it holds, readable from any thread.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

/// What all tenures are measured from, since an instant does not fit into an atomic number.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// By this machine's own reckoning: the moment of the last heartbeat that was granted, plus the lifetime of a claim. A
/// process that was frozen finds it over when it wakes, before it has asked the store anything.
#[derive(Debug, Default)]
pub(super) struct Tenure(AtomicU64);

impl Tenure {
    /// It holds until this moment.
    pub fn extend(&self, until: Instant) {
        let since_epoch_ms = until.saturating_duration_since(*EPOCH).as_millis();
        self.0.store(u64::try_from(since_epoch_ms).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// It is over.
    pub fn end(&self) {
        self.0.store(0, Ordering::Release);
    }

    /// Whether it holds now.
    pub fn holds(&self) -> bool {
        EPOCH.elapsed().as_millis() < u128::from(self.0.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_tenure_holds_until_it_runs_out_or_is_ended() {
        let tenure = Tenure::default();
        assert!(!tenure.holds());
        tenure.extend(Instant::now() + Duration::from_secs(60));
        assert!(tenure.holds());
        tenure.end();
        assert!(!tenure.holds());
        tenure.extend(Instant::now());
        assert!(!tenure.holds());
    }
}
