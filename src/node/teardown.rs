//! What happens when a JavaScript thread ends with connections open: `process.exit()` aside, that is a worker thread
//! that was terminated in the middle of anything.

use crate::client::Client;
use napi::{Env, Result, check_status, sys};
use std::ffi::c_void;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

/// Remembers a connection until it is disposed of or its JavaScript thread ends. napi's own hook would leak the
/// connection when it is removed, so this one goes to Node directly.
pub struct TeardownHook {
    client: *mut Arc<Client>,
}

impl TeardownHook {
    /// Ends the connection together with this thread.
    ///
    /// # Errors
    /// Node takes no hook.
    pub fn add(env: &Env, client: Arc<Client>) -> Result<TeardownHook> {
        let client = Box::into_raw(Box::new(client));
        // SAFETY: the pointer stays valid until `remove` or `abandon` takes it back.
        check_status!(unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(abandon), client.cast()) })
            // SAFETY: Node did not take the pointer.
            .inspect_err(|_| drop(unsafe { Box::from_raw(client) }))?;
        Ok(TeardownHook { client })
    }

    /// Forgets the connection.
    ///
    /// # Errors
    /// Node does not know the hook.
    pub fn remove(self, env: &Env) -> Result<()> {
        // SAFETY: the pair of function and pointer is the one that `add` gave to Node.
        check_status!(unsafe { sys::napi_remove_env_cleanup_hook(env.raw(), Some(abandon), self.client.cast()) })?;
        // SAFETY: the pointer came from `add`, and Node has just given it back without having called the hook.
        drop(unsafe { Box::from_raw(self.client) });
        Ok(())
    }
}

/// Called by Node, once, on the thread that ends; JavaScript cannot run any more.
unsafe extern "C" fn abandon(client: *mut c_void) {
    // SAFETY: the pointer came from `add` and was not given back by `remove`.
    let client = unsafe { Box::from_raw(client.cast::<Arc<Client>>()) };
    // Unwinding into Node would end the process.
    if panic::catch_unwind(AssertUnwindSafe(|| client.abandon())).is_err() {
        tracing::error!("a connection could not be ended together with its JavaScript thread");
    }
}
