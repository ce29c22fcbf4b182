//! One suite for every store: what [`crate::Store`] promises, each behaviour a test of its own.
//!
//! A store is tested by naming a function that opens a fresh one:
//!
//! ```ignore
//! async fn fresh() -> Fixture {
//!     let clock = Fixture::clock();
//!     Fixture::new(Arc::new(MemoryStore::new(Arc::new(clock.clone()))), clock)
//! }
//! pawl_store::conformance_suite!(fresh);
//! ```
//!
//! A store that several processes can share is also tested by `shared_conformance_suite!`, with a fixture that holds a
//! second handle on the same data.

#![allow(missing_docs, reason = "the name of a behaviour is all there is to say about it")]

mod fixture;
mod list;
mod pieces;

pub mod agreement;
pub mod claims;
pub mod closing;
pub mod commits;
pub mod conflicts;
pub mod deadlines;
pub mod flows;
pub mod joins;
pub mod lists;
pub mod pauses;
pub mod reads;
pub mod retries;
pub mod sessions;
pub mod sharing;
pub mod signals;
pub mod starts;
pub mod storms;
pub mod turns;

pub use fixture::Fixture;

use std::future::Future;
use std::time::Duration;

/// How long a behaviour may take on a slow, busy machine before it counts as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(120);

/// Runs one behaviour on a fresh store.
pub fn check<Open, Behaviour>(open: impl FnOnce() -> Open, behaviour: impl FnOnce(Fixture) -> Behaviour)
where
    Open: Future<Output = Fixture>,
    Behaviour: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .expect("a runtime for this test");
    let story = async { behaviour(open().await).await };
    runtime.block_on(async { tokio::time::timeout(STUCK_AFTER, story).await }).expect("the behaviour is stuck");
}
