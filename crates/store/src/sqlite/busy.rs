//! Waiting for another process that holds the lock. SQLite's own `busy_timeout` sleeps longer and longer, so that of two
//! busy processes one starves for seconds; short sleeps of uneven length let them take turns.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

/// The first sleeps are short: most locks are held for less than a millisecond.
const SHORT_SLEEP_COUNT: i32 = 20;
const SHORT_SLEEP_US: u64 = 100;
const LONG_SLEEP_US: u64 = 500;

/// A busy handler that gives up at the deadline. Its argument counts the sleeps for one lock, from 0.
pub(super) fn handler(deadline: Duration) -> impl FnMut(i32) -> bool + Send + 'static {
    let jitter = RandomState::new();
    let mut since = Instant::now();
    let mut calls = 0_u64;
    move |count| {
        if count == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= deadline {
            return false;
        }
        calls += 1;
        thread::sleep(sleep(count, jitter.hash_one(calls)));
        true
    }
}

/// Between half and one and a half of the base, so that two waiters do not stay in step.
fn sleep(count: i32, random: u64) -> Duration {
    let base_us = if count < SHORT_SLEEP_COUNT { SHORT_SLEEP_US } else { LONG_SLEEP_US };
    Duration::from_micros(base_us / 2 + random % base_us)
}

/// Repeats what SQLite answers with `SQLITE_BUSY` without asking the busy handler: the switch to the write-ahead log and
/// its recovery, which several processes may attempt on a new file at once.
pub(super) fn persevere<T>(
    deadline: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let mut wait = handler(deadline);
    let mut count = 0;
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && wait(count) => count += 1,
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, FileLockingProtocolFailed};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked | FileLockingProtocolFailed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handler_gives_up_at_its_deadline() {
        let mut wait = handler(Duration::ZERO);
        assert!(!wait(0));
    }

    #[test]
    fn sleeps_are_short_and_uneven() {
        for random in [0, 1, u64::MAX] {
            assert!((50..=150).contains(&sleep(0, random).as_micros()));
            assert!((250..=750).contains(&sleep(SHORT_SLEEP_COUNT, random).as_micros()));
        }
    }
}
