//! The memory store under the whole suite.

use pawl_store::MemoryStore;
use pawl_store::conformance::Fixture;
use std::sync::Arc;

async fn fresh() -> Fixture {
    let clock = Fixture::clock();
    Fixture::new(Arc::new(MemoryStore::new(Arc::new(clock.clone()))), clock)
}

pawl_store::conformance_suite!(fresh);
