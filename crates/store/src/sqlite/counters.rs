//! How much work the database was given: what benchmarks and tests of cost look at.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What one store did since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Write transactions that were committed.
    pub transactions: u64,
    /// SQL statements, `BEGIN` and `COMMIT` included, reads included.
    pub statements: u64,
}

#[derive(Debug, Default)]
pub(super) struct Meter {
    transactions: AtomicU64,
    statements: AtomicU64,
}

impl Meter {
    pub fn count_transaction(&self) {
        self.transactions.fetch_add(1, Relaxed);
    }

    pub fn count_statement(&self) {
        self.statements.fetch_add(1, Relaxed);
    }

    pub fn read(&self) -> Counters {
        Counters { transactions: self.transactions.load(Relaxed), statements: self.statements.load(Relaxed) }
    }
}
