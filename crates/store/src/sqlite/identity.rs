//! Whether the file that is open is still the one at its path. A database that was deleted or replaced goes on living
//! without a name: what is written to it would be acknowledged and never found again.

use crate::StoreError;
use pawl_core::ErrorCode;
use std::path::Path;
use std::sync::Arc;

/// A file and the number the system knows it by.
pub(super) struct Identity {
    file: Arc<Path>,
    number: Option<(u64, u64)>,
}

impl Identity {
    /// Of the file that was just opened.
    pub fn of(file: Arc<Path>) -> Identity {
        Identity { number: number_of(&file), file }
    }

    /// To be asked before each transaction: it costs a microsecond.
    pub fn check(&self) -> Result<(), StoreError> {
        if number_of(&self.file) == self.number {
            return Ok(());
        }
        let message = format!(
            "\"{}\" was deleted, moved or replaced while it was open, so nothing more is written to it. Put it back, or \
             restart this process to work with what is there now",
            self.file.display()
        );
        Err(StoreError { code: ErrorCode::StoreUnavailable, message, passing: true })
    }
}

#[cfg(unix)]
fn number_of(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    // Whatever keeps us from looking, the file is not where it was.
    let found = std::fs::metadata(file).ok()?;
    Some((found.dev(), found.ino()))
}

/// Elsewhere the system lets nobody move a file that is open.
#[cfg(not(unix))]
fn number_of(_: &Path) -> Option<(u64, u64)> {
    None
}
