//! Keeping apart what has died together more than once.

use pawl_core::{Millis, RunNo};

/// The wait between two runs that were lost for the second time. It grows fivefold with every further loss.
const GAP_MS: i64 = 200;
/// Nobody waits longer than this for others: a fleet that is killed again and again under full load must not come to stand
/// still for it.
const WAIT_MS_MAX: i64 = 20_000;

/// Reckons when the branches of one dead session may go on, in the order in which they are asked for.
///
/// What was lost once goes on at once: a crash is rarely the fault of a step. What is lost again may be what kills its
/// workers, or only be near it. Such runs come back one after the other: whoever is to blame soon stands alone, and the
/// others end in the meantime instead of being counted out together with it.
pub struct Apart {
    now: Millis,
    last: Option<RunNo>,
    ahead: i64,
}

impl Apart {
    /// Nobody has come back yet.
    pub fn new(now: Millis) -> Apart {
        Apart { now, last: None, ahead: 0 }
    }

    /// Before when a branch may not go on that was lost this many times; branches of one run follow each other.
    pub fn not_before(&mut self, run: RunNo, crashes: u32) -> Option<Millis> {
        let further = crashes.checked_sub(2)?;
        if self.last.replace(run).is_some_and(|last| last != run) {
            self.ahead += 1;
        }
        let gap_ms = GAP_MS.saturating_mul(5_i64.saturating_pow(further));
        Some(self.now.plus(gap_ms.saturating_mul(self.ahead).min(WAIT_MS_MAX)))
    }
}

/// The due time of a branch that may not go on before another moment. One that is not due by itself stays so.
pub fn put_off(due_at: Option<Millis>, not_before: Option<Millis>) -> Option<Millis> {
    due_at.max(due_at.and(not_before))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000);

    #[test]
    fn what_was_lost_once_goes_on_at_once() {
        let mut apart = Apart::new(NOW);
        assert_eq!([1, 2, 3].map(|run| apart.not_before(RunNo(run), 1)), [None; 3]);
    }

    #[test]
    fn what_was_lost_again_comes_back_one_run_after_the_other() {
        let mut apart = Apart::new(NOW);
        assert_eq!(
            [1, 1, 2, 3].map(|run| apart.not_before(RunNo(run), 2)),
            [0, 0, 200, 400].map(|ms| Some(NOW.plus(ms)))
        );
    }

    #[test]
    fn only_what_is_due_is_put_off() {
        let (early, late) = (Some(Millis(5)), Some(Millis(9)));
        assert_eq!(
            [put_off(early, late), put_off(late, early), put_off(early, None), put_off(None, late)],
            [late, late, early, None]
        );
    }

    #[test]
    fn further_apart_with_every_loss_up_to_a_limit() {
        let waits = |crashes| {
            let mut apart = Apart::new(NOW);
            [1, 2].map(|run| apart.not_before(RunNo(run), crashes).unwrap().0 - NOW.0)[1]
        };
        assert_eq!([3, 4, 5, 90].map(waits), [1_000, 5_000, WAIT_MS_MAX, WAIT_MS_MAX]);
    }
}
