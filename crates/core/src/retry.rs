//! When a failed attempt is tried again. No clock and no randomness inside: both are arguments.

use serde::{Deserialize, Serialize};

/// How failed attempts are repeated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RetryPolicy {
    /// Attempts in total, the first one included. Default 1: a failure is final.
    pub max_attempts: u32,
    /// The wait before the second attempt, in milliseconds. Default 1,000.
    pub backoff_ms: i64,
    /// By what the wait grows from one attempt to the next. Default 2.
    pub factor: f64,
    /// The longest wait, in milliseconds. Default 300,000 (five minutes).
    pub max_backoff_ms: i64,
    /// Whether a wait is shortened at random by up to half, so that many failures do not come back at once. Default true.
    pub jitter: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy { max_attempts: 1, backoff_ms: 1_000, factor: 2.0, max_backoff_ms: 300_000, jitter: true }
    }
}

impl RetryPolicy {
    /// Whether a node that failed this often is tried again.
    pub fn has_attempts_left(&self, failures: u32) -> bool {
        failures < self.max_attempts
    }

    /// The wait after the `failures`th failure (counted from 1), in milliseconds: between 0 and `max_backoff_ms`,
    /// whatever the numbers.
    pub fn backoff_after(&self, failures: u32, seed: u64) -> i64 {
        let exponent = i32::try_from(failures.saturating_sub(1)).unwrap_or(i32::MAX);
        let grown = self.backoff_ms as f64 * self.factor.powi(exponent);
        // A product that left the range of numbers (0 × ∞ is NaN) is answered with the cap, or with 0 for no back-off.
        let capped = match grown {
            _ if self.backoff_ms == 0 => 0.0,
            wait if wait.is_finite() => wait.min(self.max_backoff_ms as f64),
            _ => self.max_backoff_ms as f64,
        };
        let share = if self.jitter { 0.5 + 0.5 * unit_interval(seed) } else { 1.0 };
        (capped * share) as i64
    }
}

/// A seed for [`RetryPolicy::backoff_after`] that is the same for the same failure of the same node of the same run.
pub fn seed(run_id: &str, path: &str, failures: u32) -> u64 {
    // FNV-1a: small, stable, and good enough to spread waits.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in run_id.bytes().chain([0]).chain(path.bytes()).chain(failures.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// A number in `0.0..1.0` from a seed (the finishing steps of splitmix64).
fn unit_interval(seed: u64) -> f64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn policy() -> RetryPolicy {
        RetryPolicy { max_attempts: 4, backoff_ms: 200, factor: 2.0, max_backoff_ms: 60_000, jitter: false }
    }

    #[test]
    fn waits_grow_by_the_factor() {
        let waits: Vec<i64> = (1..=3).map(|failures| policy().backoff_after(failures, 0)).collect();
        assert_eq!(waits, [200, 400, 800]);
    }

    #[test]
    fn max_attempts_counts_the_first_one() {
        assert!(policy().has_attempts_left(3));
        assert!(!policy().has_attempts_left(4));
        assert!(!RetryPolicy::default().has_attempts_left(1));
    }

    #[test]
    fn jitter_takes_at_most_half_and_depends_on_the_seed_alone() {
        let policy = RetryPolicy { jitter: true, ..policy() };
        let waits: Vec<i64> =
            (0..100).map(|run| policy.backoff_after(1, seed(&format!("run-{run}"), "charge", 1))).collect();
        assert!(waits.iter().all(|wait| (100..=200).contains(wait)), "{waits:?}");
        assert!(waits.iter().any(|wait| *wait != waits[0]));
        assert_eq!(policy.backoff_after(1, 7), policy.backoff_after(1, 7));
    }

    proptest! {
        #[test]
        fn a_wait_is_never_negative_and_never_above_the_cap(
            failures in 0_u32..=u32::MAX, backoff_ms in 0_i64..=i64::MAX, factor in 1.0_f64..=1e9,
            max_backoff_ms in 0_i64..=315_576_000_000_000, jitter: bool, seed: u64,
        ) {
            let policy = RetryPolicy { max_attempts: u32::MAX, backoff_ms, factor, max_backoff_ms, jitter };
            let wait = policy.backoff_after(failures, seed);
            prop_assert!((0..=max_backoff_ms).contains(&wait), "{wait}");
        }
    }
}
