//! A store that does not do its work, and when to ask it again.

use std::time::Duration;
use tokio::time::Instant;

/// The first wait: a busy database is often free again at once.
const WAIT_MIN: Duration = Duration::from_millis(20);
/// The longest wait: short enough that a restarted database is used within a second or two.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// The wait after so many failures in a row, counted from 1.
pub(super) fn wait_after(failures: u32) -> Duration {
    WAIT_MIN.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(WAIT_MAX)
}

/// Waits that double, from the first failure to the first success.
#[derive(Default)]
pub(super) struct Outage {
    failures: u32,
    ask_again_at: Option<Instant>,
    /// The first call after the last failure: what older ones answer says nothing about the store now.
    next_call: u64,
}

impl Outage {
    /// Whether the store may be asked now.
    pub fn may_ask(&self, now: Instant) -> bool {
        self.ask_again_at.is_none_or(|at| at <= now)
    }

    /// When the store may be asked again, if that is not now.
    pub fn ask_again_at(&self, now: Instant) -> Option<Instant> {
        self.ask_again_at.filter(|at| *at > now)
    }

    /// The store failed; the next call will have this number. `true`: it had worked before.
    pub fn failed(&mut self, now: Instant, next_call: u64) -> bool {
        // Calls that were on their way together fail together: that is one failure, not many.
        if self.may_ask(now) {
            self.failures += 1;
            self.next_call = next_call;
            self.ask_again_at = Some(now + wait_after(self.failures));
            return self.failures == 1;
        }
        false
    }

    /// The store answered this call. `true`: it had failed before.
    pub fn worked(&mut self, call: u64) -> bool {
        if call < self.next_call {
            return false;
        }
        self.ask_again_at = None;
        std::mem::take(&mut self.failures) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_start_over_after_a_success() {
        let mut outage = Outage::default();
        let mut now = Instant::now();
        let mut waits = Vec::new();
        for _ in 0..10 {
            outage.failed(now, 0);
            let at = outage.ask_again_at(now).unwrap();
            waits.push((at - now).as_millis());
            now = at;
        }
        assert_eq!(waits, [20, 40, 80, 160, 320, 640, 1280, 2000, 2000, 2000]);
        assert!(outage.worked(0));
        assert!(!outage.worked(1));
        assert!(outage.failed(now, 2), "the first failure of a new outage");
    }

    #[test]
    fn calls_that_fail_together_count_once() {
        let (mut outage, now) = (Outage::default(), Instant::now());
        assert!(outage.failed(now, 2));
        assert!(!outage.failed(now, 2));
        assert_eq!(outage.ask_again_at(now).unwrap() - now, WAIT_MIN);
    }

    #[test]
    fn an_answer_from_before_the_failure_does_not_end_the_outage() {
        let (mut outage, now) = (Outage::default(), Instant::now());
        outage.failed(now, 7);
        assert!(!outage.worked(6));
        assert!(!outage.may_ask(now));
        assert!(outage.worked(7));
    }
}
