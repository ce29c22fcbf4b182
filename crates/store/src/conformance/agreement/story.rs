//! Stories out of seeds.

use crate::OnConflict;

/// How many ids a story is about.
pub const IDS: usize = 12;
/// How many flows.
pub const FLOWS: usize = 3;
/// How many workers.
pub const WORKERS: usize = 2;

/// A line of a story. Numbers stand for things by their place; a place that does not exist is wrapped around.
#[derive(Clone, Copy, Debug)]
pub enum Deed {
    Start { id: usize, flow: usize, on_conflict: OnConflict, keep: Option<(usize, usize)> },
    Claim { worker: usize, flow: Option<usize> },
    Work { claim: usize, keep: Option<(usize, usize)> },
    Fail { claim: usize, retryable: bool },
    Stale { claim: usize },
    HandBack { claim: usize, started: bool },
    Signal { id: usize, name: usize, key: Option<usize> },
    Cancel { id: usize },
    Pause { id: usize },
    Resume { id: usize },
    Advance { by_ms: i64 },
    Heartbeat { worker: usize },
    Reap,
    Replace { worker: usize },
}

/// The same seed tells the same story.
pub struct Story {
    state: u64,
}

impl Story {
    pub fn from(seed: u64) -> Story {
        Story { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    pub fn next(&mut self) -> Deed {
        match self.below(100) {
            0..12 => {
                let id = self.below(IDS);
                // An id mostly meets its own flow again.
                let flow = if self.below(6) == 0 { self.below(FLOWS) } else { id % FLOWS };
                Deed::Start { id, flow, on_conflict: self.policy(), keep: self.keep() }
            }
            12..30 => {
                let flow = if self.below(3) == 0 { Some(self.below(FLOWS)) } else { None };
                Deed::Claim { worker: self.below(WORKERS), flow }
            }
            30..66 => Deed::Work { claim: self.below(100), keep: self.keep() },
            66..70 => Deed::Fail { claim: self.below(100), retryable: self.below(8) > 0 },
            70..72 => Deed::Stale { claim: self.below(100) },
            72..75 => Deed::HandBack { claim: self.below(100), started: self.below(2) == 0 },
            75..82 => {
                let key = if self.below(2) == 0 { Some(self.below(3)) } else { None };
                Deed::Signal { id: self.below(IDS), name: self.below(2), key }
            }
            82..84 => Deed::Pause { id: self.below(IDS) },
            84..88 => Deed::Resume { id: self.below(IDS) },
            88..95 => Deed::Advance { by_ms: [1, 100, 1_000, 9_000][self.below(4)] },
            95..97 => Deed::Heartbeat { worker: self.below(WORKERS) },
            97 => Deed::Reap,
            98 => Deed::Replace { worker: self.below(WORKERS) },
            _ => Deed::Cancel { id: self.below(IDS) },
        }
    }

    fn policy(&mut self) -> OnConflict {
        match self.below(6) {
            0 | 3 => OnConflict::TerminateExisting,
            1 | 2 => OnConflict::UseExisting,
            _ => OnConflict::Fail,
        }
    }

    fn keep(&mut self) -> Option<(usize, usize)> {
        if self.below(2) == 0 { Some((self.below(WORKERS), self.below(4))) } else { None }
    }

    /// splitmix64.
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % bound as u64) as usize
    }
}
