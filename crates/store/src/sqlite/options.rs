//! How a database is opened.

use crate::{Clock, SystemClock};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a write waits for another process by default. Other processes hold the lock for one group of writes, which
/// takes milliseconds; whoever holds it for seconds is stuck or at work with a tool.
const BUSY_DEADLINE_DEFAULT: Duration = Duration::from_secs(5);

/// How a database is opened; `SqliteOptions::default()` is right for almost everybody.
#[derive(Clone)]
pub struct SqliteOptions {
    /// For how long a lock held by another process is waited for. Default 5 seconds.
    pub busy_deadline: Duration,
    /// The file may not grow beyond this many pages of 4 KiB; further writes answer `PAWL_STORE_FULL`. Default: no limit.
    pub page_count_max: Option<u32>,
    /// By what the store tells the time. Default: the machine's wall clock.
    pub clock: Arc<dyn Clock>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        SqliteOptions { busy_deadline: BUSY_DEADLINE_DEFAULT, page_count_max: None, clock: Arc::new(SystemClock) }
    }
}

impl fmt::Debug for SqliteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteOptions")
            .field("busy_deadline", &self.busy_deadline)
            .field("page_count_max", &self.page_count_max)
            .finish_non_exhaustive()
    }
}
