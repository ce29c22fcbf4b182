//! The stores of this crate, each under the whole suite.

use super::Fixture;
use std::sync::Arc;

mod memory {
    use super::*;
    use crate::MemoryStore;

    async fn fresh() -> Fixture {
        let clock = Fixture::clock();
        Fixture::new(Arc::new(MemoryStore::new(Arc::new(clock.clone()))), clock)
    }

    crate::conformance_suite!(fresh);
}

mod sqlite {
    use super::*;
    use crate::{SqliteOptions, SqliteStore};

    async fn fresh() -> Fixture {
        let clock = Fixture::clock();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = || {
            let options = SqliteOptions { clock: Arc::new(clock.clone()), ..SqliteOptions::default() };
            Arc::new(SqliteStore::open(folder.path().join("runs.db"), options).expect("a database"))
        };
        Fixture::new(open(), clock.clone()).with_second(open()).keeping(folder)
    }

    crate::conformance_suite!(fresh);
    crate::shared_conformance_suite!(fresh);
}
