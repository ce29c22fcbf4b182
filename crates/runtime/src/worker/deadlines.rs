//! Which running attempt is too late, and when the next one will be.

use crate::executor::AttemptId;
use pawl_core::Millis;
use std::collections::BTreeSet;

/// The deadlines of the running attempts.
#[derive(Default)]
pub(super) struct Deadlines {
    by_time: BTreeSet<(Millis, AttemptId)>,
}

impl Deadlines {
    pub fn set(&mut self, at: Millis, id: AttemptId) {
        self.by_time.insert((at, id));
    }

    pub fn clear(&mut self, at: Millis, id: AttemptId) {
        self.by_time.remove(&(at, id));
    }

    pub fn next_at(&self) -> Option<Millis> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Takes out an attempt whose deadline has passed.
    pub fn pop_passed(&mut self, now: Millis) -> Option<AttemptId> {
        let (at, id) = *self.by_time.first()?;
        if at > now {
            return None;
        }
        self.by_time.remove(&(at, id));
        Some(id)
    }
}
