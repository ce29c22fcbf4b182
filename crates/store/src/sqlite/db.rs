//! A connection seen as pawl uses it: cached statements, counted.

use super::counters::Meter;
use super::fault::{Fault, Outcome};
use rusqlite::{Connection, Params, Row};
use std::sync::Arc;

/// More than there are different statements, so that none is ever prepared twice.
const STATEMENT_CACHE_COUNT: usize = 128;

/// A connection whose statements are cached and counted.
pub(super) struct Db {
    connection: Connection,
    meter: Arc<Meter>,
}

impl Db {
    pub fn new(connection: Connection, meter: Arc<Meter>) -> Db {
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_COUNT);
        Db { connection, meter }
    }

    /// Runs a statement that answers no rows; answers how many it changed.
    pub fn execute(&self, sql: &str, params: impl Params) -> Outcome<usize> {
        self.meter.count_statement(sql);
        Ok(self.connection.prepare_cached(sql)?.execute(params)?)
    }

    /// The first row, if there is one.
    pub fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Outcome<T>,
    ) -> Outcome<Option<T>> {
        self.meter.count_statement(sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }

    /// All rows.
    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Outcome<T>,
    ) -> Outcome<Vec<T>> {
        self.meter.count_statement(sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    /// The first number a pragma answers. Not counted: the writing thread asks by the clock, not by the work.
    pub fn pragma(&self, sql: &str) -> Outcome<i64> {
        Ok(self.connection.prepare_cached(sql)?.query_row((), |row| row.get(0))?)
    }

    /// Inserts a row and answers its number.
    pub fn insert(&self, sql: &str, params: impl Params) -> Outcome<i64> {
        self.execute(sql, params)?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Begins to write: takes the lock now, so that what is read from here on cannot change before the commit.
    pub fn begin(&self) -> Outcome<()> {
        self.execute("BEGIN IMMEDIATE", ()).map(drop)
    }

    /// Makes all since [`Db::begin`] durable.
    pub fn commit(&self) -> Outcome<()> {
        self.execute("COMMIT", ())?;
        self.meter.count_transaction();
        Ok(())
    }

    /// Forgets all since [`Db::begin`]. SQLite may have done so by itself after a grave error.
    pub fn roll_back(&self) {
        if self.connection.is_autocommit() {
            return;
        }
        if let Err(fault) = self.execute("ROLLBACK", ()) {
            tracing::error!(?fault, "a failed transaction could not be rolled back");
        }
    }

    /// Undoes what `act` wrote if it is refused or fails.
    pub fn or_undo<T, R>(&self, act: impl FnOnce() -> Outcome<Result<T, R>>) -> Outcome<Result<T, R>> {
        self.execute("SAVEPOINT pawl", ())?;
        let done = act();
        if !matches!(done, Ok(Ok(_))) && !self.connection.is_autocommit() {
            self.execute("ROLLBACK TO pawl", ())?;
        }
        if !self.connection.is_autocommit() {
            self.execute("RELEASE pawl", ())?;
        }
        done
    }

    /// What `read` sees is one state of the database.
    pub fn snapshot<T>(&self, read: impl FnOnce(&Db) -> Outcome<T>) -> Outcome<T> {
        self.execute("BEGIN", ())?;
        let seen = read(self);
        match self.execute("COMMIT", ()) {
            Ok(_) => seen,
            Err(fault) => {
                self.roll_back();
                seen.and(Err::<T, Fault>(fault))
            }
        }
    }
}
