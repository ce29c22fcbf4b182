//! A world for stories: a store whose clock stands still, flows in a line, an executor that does what the story says.

mod place;
mod rigged;
mod script;
mod world;

pub use rigged::{Fault, Rigged};
pub use script::{Reply, Script, thrown};
pub use world::{START, World, options};

use pawl_core::Payload;
use std::future::Future;
use std::time::Duration;

/// A guard against tests that hang, never a wait: everything is waited for by its own sign.
const STUCK_AFTER: Duration = Duration::from_secs(20);

/// Waits for something that must happen.
pub async fn soon<T>(what: &str, happens: impl Future<Output = T>) -> T {
    match tokio::time::timeout(STUCK_AFTER, happens).await {
        Ok(value) => value,
        Err(_) => panic!("never happened: {what}"),
    }
}

/// A JSON value.
pub fn json(text: &str) -> Payload {
    Payload::json(text.to_owned())
}

/// A payload's text.
pub fn text(payload: &Payload) -> &str {
    std::str::from_utf8(&payload.bytes).expect("payloads in stories are JSON")
}
