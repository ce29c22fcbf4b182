//! The SQLite store against the suite that every store must pass, alone and shared by two handles.

use pawl_store::conformance::Fixture;
use pawl_store::{SqliteOptions, SqliteStore};
use std::sync::Arc;

async fn fresh() -> Fixture {
    let (dir, clock) = (tempfile::tempdir().expect("a directory"), Fixture::clock());
    let open = || {
        let options = SqliteOptions { clock: Arc::new(clock.clone()), ..SqliteOptions::default() };
        Arc::new(SqliteStore::open(dir.path().join("runs.db"), options).expect("a database"))
    };
    Fixture::new(open(), clock.clone()).with_second(open()).keeping(dir)
}

pawl_store::conformance_suite!(fresh);
pawl_store::shared_conformance_suite!(fresh);
