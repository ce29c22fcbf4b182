//! The bell board of one store in this process: whoever lets work go rings here, whoever can do it hears it. Without it
//! everything would still happen, only later, by polling.

mod member;
mod waiters;

pub(crate) use member::{Member, Notice};

use crate::executor::AbortReason;
use pawl_core::{FlowHash, Millis, RunNo};
use pawl_store::{ClaimFilter, Store};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::mpsc;
pub(crate) use waiters::Waiter;
use waiters::Waiters;

/// Connects all engines and workers of this process that share a store.
pub(crate) struct Hub {
    store: Weak<dyn Store>,
    members: Mutex<Vec<Weak<Member>>>,
    /// Who waits for the end of runs.
    pub waiters: Arc<Waiters>,
}

static HUBS: Mutex<Vec<Weak<Hub>>> = Mutex::new(Vec::new());

impl Hub {
    /// The hub of this store.
    pub fn of(store: &Arc<dyn Store>) -> Arc<Hub> {
        let mut hubs = HUBS.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.retain(|hub| hub.strong_count() > 0);
        let same = |hub: &Arc<Hub>| std::ptr::addr_eq(hub.store.as_ptr(), Arc::as_ptr(store));
        if let Some(hub) = hubs.iter().filter_map(Weak::upgrade).find(same) {
            return hub;
        }
        let hub = Hub { store: Arc::downgrade(store), members: Mutex::default(), waiters: Arc::default() };
        let hub = Arc::new(hub);
        hubs.push(Arc::downgrade(&hub));
        hub
    }

    /// Adds somebody who does this kind of work; it is told until it is dropped.
    pub fn join(&self, filter: &ClaimFilter) -> (Arc<Member>, mpsc::UnboundedReceiver<Notice>) {
        let (member, notices) = Member::new(filter);
        let member = Arc::new(member);
        let mut members = self.members();
        members.retain(|member| member.strong_count() > 0);
        members.push(Arc::downgrade(&member));
        (member, notices)
    }

    /// Work of this run that nobody holds is due at this moment.
    pub fn due(&self, flow: &FlowHash, run: RunNo, at: Millis) {
        for member in self.members().iter().filter_map(Weak::upgrade).filter(|member| member.does(flow, run)) {
            member.due(at);
        }
    }

    /// Work of unknown runs may be due at this moment.
    pub fn anything_due(&self, at: Millis) {
        self.members().iter().filter_map(Weak::upgrade).for_each(|member| member.due(at));
    }

    /// Attempts of this run should stop.
    pub fn run_stopped(&self, run: RunNo, reason: AbortReason) {
        for member in self.members().iter().filter_map(Weak::upgrade) {
            member.notify(Notice::RunStopped { run, reason: reason.clone() });
        }
    }

    /// A branch of this run was let go, parked or ended: who drives the run looks whether it has come to rest.
    pub fn run_moved(&self, run: RunNo) {
        for member in self.members().iter().filter_map(Weak::upgrade).filter(|member| member.drives(run)) {
            member.notify(Notice::RunMoved);
        }
    }

    /// This run is over.
    pub fn run_ended(&self, run: RunNo) {
        self.waiters.ended(run);
    }

    fn members(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Member>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
