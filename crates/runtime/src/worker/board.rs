//! What a worker shows of itself: written by its dispatcher, read by anybody at any moment.

use super::health::{Health, HealthState, RunningAttempt};
use crate::error::EngineError;
use crate::executor::AttemptId;
use pawl_core::turn::Claimed;
use pawl_core::{ErrorCode, Millis, Path, RunId};
use pawl_store::Clock;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See [`Health`].
pub(super) struct Board {
    clock: Arc<dyn Clock>,
    slots: usize,
    shown: Mutex<Shown>,
}

/// The dispatcher's part of a [`Health`].
#[derive(Default)]
pub(super) struct Shown {
    pub store_away: bool,
    pub lease_shaky: bool,
    pub turns_refused: bool,
    pub blocked: bool,
    pub stopping: bool,
    pub stopped: bool,
    pub last_claim_at: Option<Millis>,
    pub last_heartbeat_at: Option<Millis>,
    pub last_commit_at: Option<Millis>,
    pub last_error: Option<EngineError>,
    running: BTreeMap<AttemptId, Running>,
}

struct Running {
    run_id: RunId,
    path: Path,
    attempt: u32,
    since: Millis,
}

impl Board {
    pub fn new(clock: Arc<dyn Clock>, slots: usize) -> Board {
        Board { clock, slots, shown: Mutex::default() }
    }

    pub fn update(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last word of a worker that was stopped by a fault in pawl; what it was running is answered.
    pub fn fail(&self, message: &str) -> Vec<AttemptId> {
        let mut shown = self.update();
        shown.stopped = true;
        shown.last_error = Some(EngineError::new(ErrorCode::Internal, message));
        std::mem::take(&mut shown.running).into_keys().collect()
    }

    pub fn health(&self) -> Health {
        let now = self.clock.now();
        let shown = self.update();
        Health {
            state: shown.state(),
            last_claim_at: shown.last_claim_at,
            last_heartbeat_at: shown.last_heartbeat_at,
            last_commit_at: shown.last_commit_at,
            last_error: shown.last_error.clone(),
            running: shown.running.values().map(|running| running.show(now)).collect(),
            slots: self.slots,
        }
    }
}

impl Shown {
    pub fn started(&mut self, id: AttemptId, claimed: &Claimed, now: Millis) {
        let running = Running {
            run_id: claimed.run_id.clone(),
            path: claimed.state.node.clone(),
            attempt: claimed.attempt,
            since: now,
        };
        self.running.insert(id, running);
    }

    pub fn ended(&mut self, id: AttemptId) {
        self.running.remove(&id);
    }

    fn state(&self) -> HealthState {
        if self.stopped {
            HealthState::Stopped
        } else if self.stopping {
            HealthState::Stopping
        } else if self.blocked {
            HealthState::Blocked
        } else if self.store_away || self.lease_shaky || self.turns_refused {
            HealthState::Degraded
        } else {
            HealthState::Ok
        }
    }
}

impl Running {
    fn show(&self, now: Millis) -> RunningAttempt {
        RunningAttempt {
            run_id: self.run_id.clone(),
            path: self.path.clone(),
            attempt: self.attempt,
            since_ms: now.0.saturating_sub(self.since.0),
        }
    }
}
