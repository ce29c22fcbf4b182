//! The engine of one connection: what clients ask of it, and the workers it runs.

mod control;
mod explain;
mod flows;
mod id;
mod result;
mod signal;
mod start;
mod status;
mod work;

pub use explain::Explanation;
pub use start::{StartReply, StartRequest};
pub use status::{RunPage, RunStatus};

use crate::hub::{Hub, Waiter};
use crate::polling::Polling;
use crate::worker::{WeakWorker, Worker};
use flows::FlowCache;
use pawl_core::RunNo;
use pawl_store::{Clock, Store};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Handle;

/// One connection's way to its runs. A clone is the same engine.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    hub: Arc<Hub>,
    flows: FlowCache,
    workers: Mutex<Vec<WeakWorker>>,
    runtime: Handle,
    polling: Polling,
}

impl Shared {
    fn wait_for(&self, run: RunNo) -> Waiter {
        self.hub.waiters.wait_for(&self.runtime, &self.store, self.polling, run)
    }
}

impl Engine {
    /// An engine over this store. Its workers run on the tokio runtime that is current here.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn new(store: Arc<dyn Store>) -> Engine {
        Engine::on_runtime(store, Handle::current())
    }

    /// An engine over this store, whose workers run on this runtime.
    pub fn on_runtime(store: Arc<dyn Store>, runtime: Handle) -> Engine {
        Engine::polling(store, runtime, Polling::default())
    }

    /// The same with another fallback.
    pub fn polling(store: Arc<dyn Store>, runtime: Handle, polling: Polling) -> Engine {
        let shared = Shared {
            clock: store.clock(),
            hub: Hub::of(&store),
            flows: FlowCache::default(),
            workers: Mutex::default(),
            runtime,
            polling,
            store,
        };
        Engine { shared: Arc::new(shared) }
    }

    /// Stops this engine's workers without waiting for running attempts, then closes the store. Later calls answer
    /// `PAWL_CLOSED`. Closing twice is closing once.
    pub async fn close(&self) {
        let workers = std::mem::take(&mut *self.shared.workers.lock().unwrap_or_else(PoisonError::into_inner));
        let stops: Vec<_> = workers
            .iter()
            .filter_map(WeakWorker::upgrade)
            .map(|worker: Worker| self.shared.runtime.spawn(async move { worker.stop(0).await }))
            .collect();
        for stop in stops {
            if let Err(fault) = stop.await {
                tracing::debug!(%fault, "a worker's runtime went away before the worker stopped");
            }
        }
        if let Err(error) = self.shared.store.close().await {
            tracing::debug!(%error, "closing a store that was closed or is away");
        }
        self.shared.hub.waiters.wake_all();
    }
}
