//! The same story told to two stores: the one under test and the memory store, which says in plain words what all of
//! them do. Whatever can be seen must be the same after every line.

mod story;
mod twins;

use super::fixture::*;
use story::{IDS, Story};
use twins::Twins;

/// Each seed is a story of its own; on failure the assertion names it.
const SEEDS: std::ops::Range<u64> = 0..12;
const LINES: usize = 250;

pub async fn any_story_ends_as_it_does_in_memory(t: Fixture) {
    for seed in SEEDS {
        let mut twins = Twins::new(&t, seed).await;
        let mut story = Story::from(seed);
        for line in 0..LINES {
            let deed = story.next();
            twins.tell(deed, &format!("seed {seed}, line {line}: {deed:?}")).await;
            twins.compare(line % IDS, &format!("seed {seed}, after line {line}: {deed:?}")).await;
        }
        twins.end(&format!("seed {seed}, at the end")).await;
    }
}
