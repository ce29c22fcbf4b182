//! How much work the database was given: what benchmarks and tests of cost look at.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What one store did since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Write transactions that were committed.
    pub transactions: u64,
    /// SQL statements, `BEGIN` and `COMMIT` included, reads included, but not what the writing thread does by the clock.
    pub statements: u64,
}

#[derive(Debug, Default)]
pub(super) struct Meter {
    transactions: AtomicU64,
    statements: AtomicU64,
    #[cfg(test)]
    pub seen: std::sync::Mutex<std::collections::BTreeSet<String>>,
}

impl Meter {
    pub fn count_transaction(&self) {
        self.transactions.fetch_add(1, Relaxed);
    }

    #[cfg_attr(not(test), expect(unused_variables, reason = "tests look at the plan of every statement"))]
    pub fn count_statement(&self, sql: &str) {
        #[cfg(test)]
        self.seen.lock().expect("no test panics here").insert(sql.to_owned());
        self.statements.fetch_add(1, Relaxed);
    }

    pub fn read(&self) -> Counters {
        Counters { transactions: self.transactions.load(Relaxed), statements: self.statements.load(Relaxed) }
    }
}
