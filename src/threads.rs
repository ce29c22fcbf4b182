//! The threads of the engine: one small runtime for all connections of the process, made when the first one is opened,
//! so that merely requiring the package starts nothing.

use crate::error::OpError;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// Two: one may be busy deciding while the other renews claims and fires timers. The users' functions run elsewhere,
/// on the JavaScript thread, and a store's writer has a thread of its own.
const WORKER_THREAD_COUNT: usize = 2;

static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();

/// The runtime of this process.
///
/// # Errors
/// The operating system gives no threads.
pub fn runtime() -> Result<&'static Runtime, OpError> {
    RUNTIME.get_or_init(build).as_ref().map_err(|why| OpError::internal(format!("No threads could be started: {why}")))
}

fn build() -> Result<Runtime, String> {
    Builder::new_multi_thread()
        .worker_threads(WORKER_THREAD_COUNT)
        .thread_name("pawl-engine")
        .enable_time()
        .build()
        .map_err(|error| error.to_string())
}
