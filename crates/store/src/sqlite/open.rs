//! Opening a connection: for the writer, which may have to make the database first, and for readers.

use super::busy;
use super::fault::{Fault, Outcome};
use super::options::SqliteOptions;
use super::schema;
use crate::StoreError;
use pawl_core::ErrorCode;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The page cache of a connection, in KiB: the inner pages of every index of a store with millions of runs.
const CACHE_KIB: u32 = 16 * 1024;
/// To what the write-ahead log is cut when it is begun anew.
const WAL_BYTES_KEPT: u64 = 64 * 1024 * 1024;

/// A connection is used by one thread at a time.
const FLAGS: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX).union(OpenFlags::SQLITE_OPEN_EXRESCODE);

/// The writer's connection, on a database that is there and up to date.
pub(super) fn writer(file: &Path, options: &SqliteOptions, wal_pages: Arc<AtomicU64>) -> Outcome<Connection> {
    refuse_small_file_of_another_kind(file)?;
    let mut connection = connect(file, FLAGS | OpenFlags::SQLITE_OPEN_CREATE, options)?;
    if connection.is_readonly("main")? {
        return Err(read_only(file));
    }
    schema::recognize(&connection, file)?;
    busy::persevere(options.busy_deadline, || use_write_ahead_log(&connection))?;
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = {WAL_BYTES_KEPT};"
    ))?;
    if let Some(page_count_max) = options.page_count_max {
        connection.pragma_update(None, "max_page_count", page_count_max)?;
    }
    // In place of SQLite's automatic checkpoint: the writer decides when it has time for one.
    connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
        wal_pages.store(u64::try_from(pages).unwrap_or(0), Relaxed);
        Ok(())
    }))?;
    schema::bring_up_to_date(&connection, file)?;
    Ok(connection)
}

/// A connection that cannot write.
pub(super) fn reader(file: &Path, options: &SqliteOptions) -> Outcome<Connection> {
    let connection = connect(file, FLAGS, options)?;
    connection.execute_batch("PRAGMA query_only = ON")?;
    Ok(connection)
}

fn connect(file: &Path, flags: OpenFlags, options: &SqliteOptions) -> Outcome<Connection> {
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.busy_handler(Some(busy::handler(options.busy_deadline)))?;
    connection.execute_batch(&format!(
        "PRAGMA cache_size = -{CACHE_KIB}; PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY;"
    ))?;
    Ok(connection)
}

fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    let why = format!("the write-ahead log cannot be used here, journal_mode stays \"{mode}\"; is it a network drive?");
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN), Some(why)))
}

/// SQLite takes a file that is smaller than its smallest page for an empty database, and would write over it.
fn refuse_small_file_of_another_kind(file: &Path) -> Outcome<()> {
    const PAGE_BYTES_MIN: u64 = 512;
    const MAGIC: &[u8] = b"SQLite format 3\0";
    // A file that cannot be looked at is SQLite's to complain about.
    let Ok(found) = std::fs::metadata(file) else { return Ok(()) };
    if !found.is_file() || found.len() == 0 || found.len() >= PAGE_BYTES_MIN {
        return Ok(());
    }
    match std::fs::read(file) {
        Ok(bytes) if !bytes.starts_with(MAGIC) && !bytes.is_empty() => {
            let not_a_database = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
            Err(rusqlite::Error::SqliteFailure(not_a_database, Some("file is not a database".into())).into())
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn read_only(file: &Path) -> Fault {
    let message = format!(
        "\"{}\" can be read but not written to. Give this process write permission on the file and on its directory, \
         where the -wal and -shm files live",
        file.display()
    );
    Fault::Store(StoreError { code: ErrorCode::StoreReadOnly, message, passing: false })
}
