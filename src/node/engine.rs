//! One connection as JavaScript holds it.

use super::batch::Batch;
use super::bell::{NodeBell, hold};
use super::teardown::TeardownHook;
use crate::client::Client;
use crate::dto::thrown::outcome;
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::ThreadsafeFunctionHandle;
use napi::{Env, Result};
use napi_derive::napi;
use pawl_core::Payload;
use pawl_runtime::AttemptId;
use std::sync::Arc;

/// A connection: requests go in, messages come out through the function it was made with.
#[napi]
pub struct NativeEngine {
    client: Arc<Client>,
    /// `None` once it was disposed of.
    ties: Option<Ties>,
}

/// What ties the connection to its JavaScript thread.
struct Ties {
    bell: Arc<ThreadsafeFunctionHandle>,
    hook: TeardownHook,
}

/// Makes a connection that is not connected to a store yet. `deliver` gets every batch of messages, on this thread.
#[napi(catch_unwind)]
pub fn create_engine(env: Env, deliver: Function<'_, FnArgs<(Batch,)>, ()>) -> Result<NativeEngine> {
    let client = Arc::new(Client::new());
    let bell = NodeBell::new(deliver, client.incoming())?;
    let handle = bell.handle();
    let hook = TeardownHook::add(&env, client.clone())?;
    client.doorbell().mount(Box::new(bell));
    Ok(NativeEngine { client, ties: Some(Ties { bell: handle, hook }) })
}

#[napi]
impl NativeEngine {
    /// One request; its answer comes as a message with the same number.
    #[napi(catch_unwind)]
    pub fn call(&self, call: i64, op: String, args: String, codec: u8, payload: Option<String>) {
        let payload = payload.map(|text| Payload { codec, bytes: text.into() });
        self.client.call(call, op, args, payload);
    }

    /// Outcomes of attempts, as parallel arrays.
    #[napi(catch_unwind)]
    pub fn outcomes(&self, worker: u32, attempts: Vec<i64>, codecs: Vec<i32>, texts: Vec<String>) {
        let attempts = attempts.into_iter().map(|id| AttemptId(id.unsigned_abs()));
        let outcomes = codecs.into_iter().zip(texts).map(|(codec, text)| outcome(codec, text));
        self.client.outcomes(worker, attempts.zip(outcomes).collect());
    }

    /// While held, the process does not end by itself.
    #[napi(catch_unwind)]
    pub fn hold(&self, env: Env, held: bool) -> Result<()> {
        self.ties.as_ref().map_or(Ok(()), |ties| hold(&env, &ties.bell, held))
    }

    /// Lets go of the JavaScript side: nothing is delivered any more, and both sides can be collected.
    #[napi(catch_unwind)]
    pub fn dispose(&mut self, env: Env) -> Result<()> {
        let Some(ties) = self.ties.take() else { return Ok(()) };
        hold(&env, &ties.bell, false)?;
        drop(ties.bell);
        self.client.doorbell().close();
        ties.hook.remove(&env)
    }
}
