//! All there is: what the tables of a database are to the other stores.

use super::flows::Flows;
use super::queue::Queue;
use super::run::Run;
use super::sessions::Sessions;
use crate::rules::was_set_back;
use pawl_core::{Millis, RunId, RunNo};
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct World {
    pub flows: Flows,
    pub runs: Runs,
    pub queue: Queue,
    pub sessions: Sessions,
    /// When the last transaction was.
    last: Option<Millis>,
}

impl World {
    /// Sees to it that nothing ready waits for a clock that was set back.
    pub fn notice(&mut self, now: Millis) {
        if was_set_back(self.last.replace(now), now) {
            for run in &mut self.runs.by_number {
                self.queue.line_up_again(run, now);
            }
        }
    }
}

/// The runs by number, which is also their age, and the newest life of each id.
#[derive(Default)]
pub(super) struct Runs {
    #[expect(clippy::vec_box, reason = "runs are large: growing would copy all of them, and hold twice their memory")]
    by_number: Vec<Box<Run>>,
    newest: HashMap<RunId, RunNo>,
}

impl Runs {
    /// Adds a run as the newest life of its id and gives it its number.
    pub fn add(&mut self, begin: impl FnOnce(RunNo) -> Run) -> &mut Run {
        let number = RunNo(self.by_number.len() as i64 + 1);
        let run = begin(number);
        self.newest.insert(run.id.clone(), number);
        self.by_number.push(Box::new(run));
        let last = self.by_number.len() - 1;
        &mut self.by_number[last]
    }

    pub fn get(&self, number: RunNo) -> Option<&Run> {
        self.by_number.get(place(number)?).map(Box::as_ref)
    }

    pub fn get_mut(&mut self, number: RunNo) -> Option<&mut Run> {
        self.by_number.get_mut(place(number)?).map(Box::as_mut)
    }

    pub fn number_of(&self, id: &RunId) -> Option<RunNo> {
        self.newest.get(id).copied()
    }

    /// Older than `before`, newest first.
    pub fn newest_first(&self, before: Option<RunNo>) -> impl Iterator<Item = &Run> {
        let end = before.map_or(self.by_number.len(), |before| place(before).unwrap_or(0).min(self.by_number.len()));
        self.by_number[..end].iter().rev().map(Box::as_ref)
    }
}

fn place(number: RunNo) -> Option<usize> {
    usize::try_from(number.0.checked_sub(1)?).ok()
}
