//! Who waits for the end of which run. Ends in this process are pushed; for ends elsewhere one task asks the store about
//! all runs at once, so a thousand waiters cost one question.

use crate::polling::Polling;
use pawl_core::{ErrorCode, RunNo, RunState};
use pawl_store::Store;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};

/// The least time between two questions to the store: a busy neighbour commits far more often than that.
const ASK_INTERVAL_MIN: Duration = Duration::from_millis(20);

/// The waiters of one store in this process.
#[derive(Default)]
pub(crate) struct Waiters {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    runs: HashMap<RunNo, Entry>,
    asking: bool,
}

struct Entry {
    ends: watch::Sender<u64>,
    waiter_count: usize,
}

/// One who waits. Dropping it ends the wait.
pub(crate) struct Waiter {
    run: RunNo,
    ends: watch::Receiver<u64>,
    waiters: Arc<Waiters>,
}

impl Waiters {
    /// Registers a wait. Whoever looks at the run after this call and then awaits [`Waiter::changed`] misses nothing.
    pub fn wait_for(
        self: &Arc<Self>,
        runtime: &Handle,
        store: &Arc<dyn Store>,
        polling: Polling,
        run: RunNo,
    ) -> Waiter {
        let mut table = self.lock();
        let entry = table.runs.entry(run).or_insert_with(|| Entry { ends: watch::Sender::new(0), waiter_count: 0 });
        entry.waiter_count += 1;
        let ends = entry.ends.subscribe();
        if !table.asking {
            table.asking = true;
            // Listened to from here on, so a change before the task's first turn is not missed.
            runtime.spawn(ask(self.clone(), store.clone(), store.foreign_changes(), polling));
        }
        Waiter { run, ends, waiters: self.clone() }
    }

    /// This run is over, or may be: whoever waits for it looks.
    pub fn ended(&self, run: RunNo) {
        if let Some(entry) = self.lock().runs.get(&run) {
            entry.ends.send_modify(|count| *count += 1);
        }
    }

    /// Nothing will be told any more: whoever waits looks for himself, and hears why.
    pub fn wake_all(&self) {
        let table = self.lock();
        table.runs.values().for_each(|entry| entry.ends.send_modify(|count| *count += 1));
    }

    fn waited_for(&self) -> Vec<RunNo> {
        let mut table = self.lock();
        table.asking = !table.runs.is_empty();
        table.runs.keys().copied().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// Resolves when the run has ended since the last call, or may have.
    pub async fn changed(&mut self) {
        if self.ends.changed().await.is_err() {
            // The entry lives as long as one of its waiters, and this is one.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut table = self.waiters.lock();
        if let Some(entry) = table.runs.get_mut(&self.run) {
            entry.waiter_count -= 1;
            if entry.waiter_count == 0 {
                table.runs.remove(&self.run);
            }
        }
    }
}

/// Asks the store after every foreign change, until nobody waits any more.
async fn ask(waiters: Arc<Waiters>, store: Arc<dyn Store>, mut foreign: watch::Receiver<u64>, polling: Polling) {
    loop {
        // A store that is going away has nothing more to tell: only the fallback is left.
        let deadline = Instant::now() + polling.interval_max;
        if let Ok(Err(_)) = timeout_at(deadline, foreign.changed()).await {
            sleep_until(deadline).await;
        }
        let runs = waiters.waited_for();
        if runs.is_empty() {
            return;
        }
        match store.states(runs.clone()).await {
            Ok(states) => {
                let going_on = |state: &Option<RunState>| state.as_ref().is_some_and(|state| !state.is_terminal());
                let over = runs.into_iter().zip(states).filter(|(_, state)| !going_on(state));
                over.for_each(|(run, _)| waiters.ended(run));
            }
            Err(error) if error.code == ErrorCode::Closed => {
                waiters.lock().asking = false;
                return waiters.wake_all();
            }
            Err(error) => tracing::debug!(%error, "cannot ask whether awaited runs are over; asking again"),
        }
        tokio::time::sleep(ASK_INTERVAL_MIN).await;
    }
}
