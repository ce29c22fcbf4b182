//! The bell of the doorbell: a threadsafe function that does not keep the process alive unless it is told to.

use super::batch::Batch;
use crate::doorbell::Bell;
use crate::message::Message;
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode, ThreadsafeFunctionHandle};
use napi::{Env, Result, Status, check_status, sys};
use std::sync::Arc;

/// Not awaited (`CalleeHandled = false`: no error argument) and weak.
type Deliver = ThreadsafeFunction<(), (), FnArgs<(Batch,)>, Status, false, true>;

/// Rings by queueing one call; the call takes what lies behind the door at that moment.
pub struct NodeBell {
    deliver: Deliver,
}

impl NodeBell {
    /// A bell that hands all that is coming in to `deliver`.
    ///
    /// # Errors
    /// Node makes no threadsafe function.
    pub fn new(
        deliver: Function<'_, FnArgs<(Batch,)>, ()>,
        incoming: impl Fn() -> Vec<Message> + Send + 'static,
    ) -> Result<NodeBell> {
        let deliver = deliver
            .build_threadsafe_function::<()>()
            .weak::<true>()
            .build_callback(move |_| Ok(FnArgs::from((Batch(incoming()),))))?;
        Ok(NodeBell { deliver })
    }

    /// What it takes to hold the process.
    pub fn handle(&self) -> Arc<ThreadsafeFunctionHandle> {
        self.deliver.handle.clone()
    }
}

impl Bell for NodeBell {
    fn ring(&self) -> bool {
        self.deliver.call((), ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }
}

/// Whether the process stays alive for this bell. napi's own `refer` is deprecated and keeps a flag that a weak function
/// starts with the wrong value, so the call goes to Node directly.
///
/// # Errors
/// Node refuses.
pub fn hold(env: &Env, handle: &ThreadsafeFunctionHandle, held: bool) -> Result<()> {
    handle.with_read_aborted(|aborted| {
        if aborted {
            return Ok(());
        }
        let change = if held { sys::napi_ref_threadsafe_function } else { sys::napi_unref_threadsafe_function };
        // SAFETY: not aborted, so the function exists, and the lock keeps it so during the call.
        check_status!(unsafe { change(env.raw(), handle.get_raw()) })
    })
}
