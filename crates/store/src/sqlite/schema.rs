//! The schema's version and the way to it. The file may hold other people's tables too, so the version stands in a table
//! of ours and not in the file's header.

use super::fault::{Fault, Outcome};
use crate::StoreError;
use pawl_core::ErrorCode;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// All migrations, the first one first. Append only: databases that have run them are in the world.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_first.sql")];

/// The version this pawl writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// Refuses a database that this pawl did not make or cannot read. Nothing about it is changed.
pub(super) fn recognize(connection: &Connection, file: &Path) -> Outcome<()> {
    version(SCHEMA_VERSION, connection, file).map(|_| ())
}

/// Brings a database to [`SCHEMA_VERSION`]. Many processes may do this to one file at once.
pub(super) fn bring_up_to_date(connection: &Connection, file: &Path) -> Outcome<()> {
    bring_to(MIGRATIONS, connection, file)
}

fn bring_to(migrations: &[&str], connection: &Connection, file: &Path) -> Outcome<()> {
    let newest = migrations.len() as i64;
    if version(newest, connection, file)? == newest {
        return Ok(());
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    match migrate(migrations, connection, file) {
        Ok(()) => Ok(connection.execute_batch("COMMIT")?),
        Err(fault) => {
            if !connection.is_autocommit() {
                connection.execute_batch("ROLLBACK")?;
            }
            Err(fault)
        }
    }
}

fn migrate(migrations: &[&str], connection: &Connection, file: &Path) -> Outcome<()> {
    let newest = migrations.len() as i64;
    // Asked again under the lock: somebody else may have been first.
    let from = version(newest, connection, file)?;
    for migration in &migrations[from as usize..] {
        connection.execute_batch(migration)?;
    }
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS pawl_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    )?;
    connection.execute(
        "INSERT INTO pawl_meta (name, value) VALUES ('schema_version', ?1)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [newest],
    )?;
    Ok(())
}

/// The version of the database; 0 where pawl has never been.
fn version(newest: i64, connection: &Connection, file: &Path) -> Outcome<i64> {
    let table_exists = connection
        .query_row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'pawl_meta'", (), |_| Ok(()))
        .optional()?
        .is_some();
    if !table_exists {
        return Ok(0);
    }
    let version = "SELECT value FROM pawl_meta WHERE name = 'schema_version'";
    match connection.query_row(version, (), |row| row.get::<_, i64>(0)).map_err(|error| unreadable(file, error))? {
        newer if newer > newest => Err(too_new(file, newer)),
        known if known >= 1 => Ok(known),
        odd => Err(foreign(file, &format!("its schema version is {odd}"))),
    }
}

fn too_new(file: &Path, found: i64) -> Fault {
    let message = format!(
        "\"{}\" has schema version {found}; this pawl knows versions up to {SCHEMA_VERSION}. Update pawl in this process",
        file.display()
    );
    Fault::Store(StoreError { code: ErrorCode::StoreNewer, message, passing: false })
}

/// A table of this name that lacks our columns or our row is somebody else's; anything else is SQLite's own trouble.
fn unreadable(file: &Path, error: rusqlite::Error) -> Fault {
    match error.sqlite_error_code() {
        None | Some(rusqlite::ErrorCode::Unknown) => foreign(file, &error),
        Some(_) => Fault::Sqlite(error),
    }
}

fn foreign(file: &Path, why: &impl std::fmt::Display) -> Fault {
    let message = format!(
        "\"{}\" has a table pawl_meta that pawl did not make or that was changed ({why}). Name another file",
        file.display()
    );
    Fault::Store(StoreError { code: ErrorCode::StoreForeign, message, passing: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE pawl_a (x)";
    const SECOND: &str = "CREATE TABLE pawl_b (x); INSERT INTO pawl_a VALUES (1)";
    const BROKEN: &str = "CREATE TABLE pawl_b (x); INSERT INTO nowhere VALUES (1)";

    fn bring(connection: &Connection, migrations: &[&str]) -> Outcome<()> {
        bring_to(migrations, connection, Path::new("runs.db"))
    }

    fn count(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, (), |row| row.get(0)).unwrap()
    }

    #[test]
    fn each_migration_runs_once_and_in_order() {
        let connection = Connection::open_in_memory().unwrap();
        bring(&connection, &[FIRST]).unwrap();
        bring(&connection, &[FIRST, SECOND]).unwrap();
        bring(&connection, &[FIRST, SECOND]).unwrap();
        assert_eq!(count(&connection, "SELECT count(*) FROM pawl_a"), 1);
        assert_eq!(count(&connection, "SELECT value FROM pawl_meta"), 2);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_database_as_it_was() {
        let connection = Connection::open_in_memory().unwrap();
        bring(&connection, &[FIRST]).unwrap();
        bring(&connection, &[FIRST, BROKEN]).unwrap_err();
        assert_eq!(count(&connection, "SELECT value FROM pawl_meta"), 1);
        bring(&connection, &[FIRST, SECOND]).unwrap();
    }

    #[test]
    fn a_newer_database_is_refused() {
        let connection = Connection::open_in_memory().unwrap();
        bring(&connection, &[FIRST, SECOND]).unwrap();
        assert!(
            matches!(bring(&connection, &[FIRST]), Err(Fault::Store(error)) if error.code == ErrorCode::StoreNewer)
        );
    }
}
