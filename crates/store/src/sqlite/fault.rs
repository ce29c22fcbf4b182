//! What went wrong, in SQLite's words or ours, and how it is told to people.

use crate::StoreError;
use pawl_core::ErrorCode;
use rusqlite::ErrorCode as Code;
use std::path::Path;

/// Why a statement or a row could not be used.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite said no.
    Sqlite(rusqlite::Error),
    /// We did.
    Store(StoreError),
    /// A row does not say what it should.
    Damaged(String),
}

pub(super) type Outcome<T> = Result<T, Fault>;

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
        match error {
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..) => {
                Fault::Damaged(error.to_string())
            }
            _ => Fault::Sqlite(error),
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

impl Fault {
    /// The same, and where the damage is.
    pub fn of(self, place: impl std::fmt::Display) -> Fault {
        match self {
            Fault::Damaged(what) => Fault::Damaged(format!("{place}: {what}")),
            Fault::Store(error) if error.code == ErrorCode::StoreCorrupt => {
                Fault::Store(StoreError { message: format!("{} ({place})", error.message), ..error })
            }
            other => other,
        }
    }

    /// Whether a row is at fault, and not the store as a whole.
    pub fn is_damage(&self) -> bool {
        match self {
            Fault::Damaged(_) => true,
            Fault::Store(error) => error.code == ErrorCode::StoreCorrupt,
            Fault::Sqlite(_) => false,
        }
    }

    /// In our words, naming the file.
    pub fn told(self, file: &Path) -> StoreError {
        match self {
            Fault::Store(error) => error,
            Fault::Damaged(what) => StoreError::damaged(format!("\"{}\", {what}", file.display())),
            Fault::Sqlite(error) => tell(&error, file),
        }
    }
}

fn tell(error: &rusqlite::Error, path: &Path) -> StoreError {
    let file = path.display();
    let no = |code, message| StoreError { code, message, passing: false };
    let not_now = |code, message| StoreError { code, message, passing: true };
    match error.sqlite_error_code() {
        Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => not_now(
            ErrorCode::StoreBusy,
            format!(
                "Another process holds the lock on \"{file}\" for longer than this store waits ({error}). Find out which \
                 one (a backup, a database browser with an open transaction?) and let it finish"
            ),
        ),
        Some(Code::DiskFull) => not_now(
            ErrorCode::StoreFull,
            format!("There is no room left to write to \"{file}\" ({error}). Free space on its disk; nothing was lost"),
        ),
        Some(Code::ReadOnly) => no(
            ErrorCode::StoreReadOnly,
            format!(
                "\"{file}\" cannot be written to ({error}). Give this process write permission on the file and on its \
                 directory, where the -wal and -shm files live"
            ),
        ),
        Some(Code::NotADatabase) => no(
            ErrorCode::StoreForeign,
            format!("\"{file}\" is not an SQLite database ({error}). Name another file; this one was not touched"),
        ),
        Some(Code::DatabaseCorrupt) => no(
            ErrorCode::StoreCorrupt,
            format!(
                "\"{file}\" is damaged ({error}). Stop all processes that use it, keep a copy, and restore a backup or try \
                 `sqlite3 FILE .recover`"
            ),
        ),
        Some(Code::CannotOpen) => {
            no(ErrorCode::StoreUnavailable, format!("\"{file}\" cannot be opened ({error}). {}", why_not_opened(path)))
        }
        Some(Code::SystemIoFailure | Code::OutOfMemory | Code::PermissionDenied | Code::NoLargeFileSupport) => not_now(
            ErrorCode::StoreUnavailable,
            format!("\"{file}\" cannot be read or written right now ({error}). Check its disk"),
        ),
        _ => no(
            ErrorCode::Internal,
            format!(
                "SQLite refused a statement of pawl on \"{file}\": {error}. This is a fault in pawl; please report it"
            ),
        ),
    }
}

/// What SQLite does not say.
fn why_not_opened(file: &Path) -> String {
    match file.parent() {
        _ if file.is_dir() => "It is a directory; name a file in it".into(),
        Some(directory) if !directory.exists() => {
            format!("The directory \"{}\" does not exist; make it first", directory.display())
        }
        _ => "Check that this process may enter its directory and read and write the file".into(),
    }
}
