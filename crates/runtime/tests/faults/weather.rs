//! What one process has to endure of its store.

use crate::rigged::Fault;
use crate::rng::Rng;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// How many calls one moment has room for. Dreamed time stands still while anybody is busy, so who goes around in circles
/// would do so for ever.
const CALLS_PER_MOMENT_MAX: usize = 10_000;

/// See the module.
pub struct Weather {
    rng: Rng,
    moment: Instant,
    calls_in_moment: usize,
    /// How many calls in a thousand go wrong.
    fault_rate: u64,
    pub stormy: bool,
    /// Until when the store is away.
    pub away_until: Instant,
    /// Until when no call gets through, but waits: the network, or the process, stands still.
    pub frozen_until: Instant,
    /// It never acts again.
    pub dead: bool,
}

impl Weather {
    pub fn new(mut rng: Rng) -> Arc<Mutex<Weather>> {
        let (now, fault_rate) = (Instant::now(), 20 + rng.below(200));
        Arc::new(Mutex::new(Weather {
            rng,
            moment: now,
            calls_in_moment: 0,
            fault_rate,
            stormy: false,
            away_until: now,
            frozen_until: now,
            dead: false,
        }))
    }

    /// What happens to a call.
    pub fn fault(&mut self) -> Option<Fault> {
        let now = Instant::now();
        if std::mem::replace(&mut self.moment, now) != now {
            self.calls_in_moment = 0;
        }
        self.calls_in_moment += 1;
        if self.calls_in_moment > CALLS_PER_MOMENT_MAX {
            return Some(Fault::Panic);
        }
        if self.dead {
            return Some(Fault::Hang);
        }
        if !self.stormy {
            return None;
        }
        if now < self.frozen_until {
            return Some(Fault::Late { before: self.frozen_until - now, after: Duration::ZERO, lost: false });
        }
        if now < self.away_until {
            return Some(Fault::Fail);
        }
        if !self.rng.chance(self.fault_rate) {
            return None;
        }
        let (soon, late) = (self.rng.ms(0, 60), self.rng.ms(0, 1_500));
        Some(match self.rng.below(10) {
            0 | 1 => Fault::Fail,
            2 | 3 => Fault::LoseAnswer,
            4 => Fault::Late { before: soon, after: Duration::ZERO, lost: false },
            5 => Fault::Late { before: Duration::ZERO, after: soon, lost: false },
            6 => Fault::Late { before: soon, after: soon, lost: true },
            7 => Fault::Late { before: late, after: Duration::ZERO, lost: false },
            8 => Fault::Late { before: Duration::ZERO, after: late, lost: false },
            _ => Fault::Late { before: Duration::ZERO, after: late, lost: true },
        })
    }
}
