//! What a worker holds: one slot per claim, from the moment it is claimed until its turn is stored.

use crate::executor::AttemptId;
use pawl_core::flow::Flow;
use pawl_core::turn::Claimed;
use pawl_core::{Millis, RunNo, Scope};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers of slots are never reused in a process, so a late outcome can never be taken for another attempt's.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A claim and what is being done about it.
pub(super) struct Slot {
    pub claimed: Claimed,
    pub flow: Arc<Flow>,
    pub stage: Stage,
    /// How many times in a row this worker kept the successor instead of asking for what is due longest.
    pub streak: u32,
}

/// What is being done about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its inputs are being read.
    Loading,
    /// The executor has it.
    Running {
        /// When it is too late.
        deadline_at: Option<Millis>,
        /// It was told to stop because its run was paused: a success is welcome, anything else gives the claim back.
        pausing: bool,
    },
    /// Its decision is being stored.
    Deciding,
}

/// All slots in use, found by number, by run and by branch.
#[derive(Default)]
pub(super) struct Slots {
    by_id: HashMap<AttemptId, Slot>,
    by_run: HashMap<RunNo, Vec<AttemptId>>,
}

impl Slots {
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub fn add(&mut self, slot: Slot) -> AttemptId {
        let id = AttemptId(NEXT_ID.fetch_add(1, Ordering::Relaxed));
        self.by_run.entry(slot.claimed.run).or_default().push(id);
        self.by_id.insert(id, slot);
        id
    }

    pub fn get(&self, id: AttemptId) -> Option<&Slot> {
        self.by_id.get(&id)
    }

    pub fn get_mut(&mut self, id: AttemptId) -> Option<&mut Slot> {
        self.by_id.get_mut(&id)
    }

    pub fn remove(&mut self, id: AttemptId) -> Option<Slot> {
        let slot = self.by_id.remove(&id)?;
        if let Some(ids) = self.by_run.get_mut(&slot.claimed.run) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.by_run.remove(&slot.claimed.run);
            }
        }
        Some(slot)
    }

    pub fn of_run(&self, run: RunNo) -> Vec<AttemptId> {
        self.by_run.get(&run).cloned().unwrap_or_default()
    }

    pub fn of_branch(&self, run: RunNo, scope: &Scope) -> Option<AttemptId> {
        let ids = self.by_run.get(&run)?;
        ids.iter().copied().find(|id| self.by_id.get(id).is_some_and(|slot| slot.claimed.scope == *scope))
    }

    pub fn ids(&self) -> Vec<AttemptId> {
        self.by_id.keys().copied().collect()
    }

    /// The claims whose attempts are running.
    pub fn running(&self) -> impl Iterator<Item = &Claimed> {
        self.by_id.values().filter(|slot| matches!(slot.stage, Stage::Running { .. })).map(|slot| &slot.claimed)
    }
}
