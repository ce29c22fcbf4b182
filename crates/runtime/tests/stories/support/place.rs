//! Where the stories' data lies. The same stories are told over every store: which one follows from the crate they are
//! compiled into.

use pawl_store::{ManualClock, MemoryStore, SqliteOptions, SqliteStore, Store};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

/// A memory, or a file.
#[derive(Clone)]
pub enum Place {
    Memory(Arc<OnceLock<Arc<MemoryStore>>>),
    File(Arc<TempDir>),
}

impl Place {
    pub fn new() -> Place {
        match env!("CARGO_CRATE_NAME") {
            "stories_sqlite" => Place::File(Arc::new(TempDir::new().expect("a temporary directory"))),
            _ => Place::Memory(Arc::default()),
        }
    }

    /// A store over this place: another connection to the file, or the one memory.
    pub fn open(&self, clock: &ManualClock) -> Arc<dyn Store> {
        let clock = Arc::new(clock.clone());
        match self {
            Place::Memory(memory) => memory.get_or_init(|| Arc::new(MemoryStore::new(clock))).clone(),
            Place::File(directory) => {
                let options = SqliteOptions { clock, ..SqliteOptions::default() };
                Arc::new(SqliteStore::open(directory.path().join("stories.db"), options).expect("a database"))
            }
        }
    }
}
