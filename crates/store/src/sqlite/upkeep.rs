//! What the writing thread does between its groups: looking for other people's commits, and moving the write-ahead log
//! into the database while nobody waits.

use super::db::Db;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A log of this size is moved even while there is work: 40 MiB.
const WAL_PAGES_MAX: u64 = 10_000;
/// A log of this size is moved when there is nothing else to do: 4 MiB.
const WAL_PAGES_IDLE: u64 = 1_000;
/// For how long there must have been nothing to do.
const IDLE_BEFORE_CHECKPOINT: Duration = Duration::from_millis(100);
/// How often to look for other people's commits while there is work.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often when nothing has happened for a moment: whoever waits for another process should not notice.
const LOOK_EVERY_AWAKE: Duration = Duration::from_millis(10);
/// How often after a longer rest: half of the fifty milliseconds that are promised, so that the first sign of life of
/// another process is in time, and a store that is not used costs next to nothing.
const LOOK_EVERY_ASLEEP: Duration = Duration::from_millis(25);
/// After how long without a commit, here or elsewhere.
const ASLEEP_AFTER: Duration = Duration::from_secs(1);

pub(super) struct Upkeep {
    foreign: Arc<watch::Sender<u64>>,
    data_version: Option<i64>,
    looked_at: Instant,
    worked_at: Instant,
    /// When another process was last seen to write.
    stirred_at: Instant,
    /// The size of the log after the last commit, told by SQLite.
    wal_pages: Arc<AtomicU64>,
    /// Its size at the last checkpoint: what was moved stays in the log until it begins anew.
    moved_pages: u64,
}

impl Upkeep {
    /// From now on: what others commit after this is noticed.
    pub fn new(db: &Db, foreign: Arc<watch::Sender<u64>>, wal_pages: Arc<AtomicU64>) -> Upkeep {
        let now = Instant::now();
        let mut upkeep = Upkeep {
            foreign,
            data_version: None,
            looked_at: now,
            worked_at: now,
            stirred_at: now,
            wal_pages,
            moved_pages: 0,
        };
        upkeep.look(db);
        upkeep
    }

    /// For how long the thread may sleep when nobody asks it for anything.
    pub fn look_again_after(&self) -> Duration {
        match self.worked_at.max(self.stirred_at).elapsed() {
            rest if rest < ASLEEP_AFTER => LOOK_EVERY_AWAKE,
            _ => LOOK_EVERY_ASLEEP,
        }
    }

    pub fn between_groups(&mut self, db: &Db) {
        self.worked_at = Instant::now();
        if self.looked_at.elapsed() >= LOOK_EVERY {
            self.look(db);
        }
        self.checkpoint_beyond(WAL_PAGES_MAX, db);
    }

    pub fn when_idle(&mut self, db: &Db) {
        self.look(db);
        if self.worked_at.elapsed() >= IDLE_BEFORE_CHECKPOINT {
            self.checkpoint_beyond(WAL_PAGES_IDLE, db);
        }
    }

    /// `data_version` moves on with the commits of every connection but this one.
    fn look(&mut self, db: &Db) {
        self.looked_at = Instant::now();
        match db.pragma("PRAGMA data_version") {
            Ok(seen) => {
                if self.data_version.replace(seen).is_some_and(|before| before != seen) {
                    self.stirred_at = self.looked_at;
                    self.foreign.send_modify(|changes| *changes += 1);
                }
            }
            // The next write meets the same trouble and tells it to somebody.
            Err(fault) => tracing::debug!(?fault, "could not look for changes by other processes"),
        }
    }

    fn checkpoint_beyond(&mut self, pages: u64, db: &Db) {
        let logged = self.wal_pages.load(Relaxed);
        if logged < self.moved_pages {
            self.moved_pages = 0;
        }
        if logged - self.moved_pages < pages {
            return;
        }
        match db.pragma("PRAGMA wal_checkpoint(PASSIVE)") {
            Ok(_) => {}
            Err(fault) => {
                tracing::warn!(?fault, "a checkpoint of the write-ahead log failed; the next one tries again")
            }
        }
        self.moved_pages = logged;
    }
}
