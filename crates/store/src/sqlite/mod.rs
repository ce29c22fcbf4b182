//! The store in one SQLite file: for one machine, any number of processes. One thread writes, what waits together shares
//! a transaction; two threads read. The columns are explained in docs/formats/sqlite.md.

mod busy;
mod counters;
mod db;
mod fault;
#[cfg(test)]
mod groups;
mod identity;
mod lane;
mod lookups;
mod open;
mod options;
mod panic;
#[cfg(test)]
mod plans;
mod reader;
mod reads;
mod rows;
mod schema;
mod tx;
mod upkeep;
mod writer;
mod writes;

pub use counters::Counters;
pub use options::SqliteOptions;
pub use schema::SCHEMA_VERSION;

use crate::{
    Answer, ClaimAsk, ClaimCheck, ClaimFate, Claims, Clock, Committed, FlowLookup, FlowRecord, HandBack, HistoryRecord,
    ListQuery, NewRun, NewSignal, Reaped, Refused, RunRecord, SessionSpec, SignalReceipt, SignalRefusal, StartRefusal,
    Started, Store, StoreError,
};
use counters::Meter;
use db::Db;
use fault::{Fault, Outcome};
use pawl_core::turn::Claimed;
use pawl_core::{Commit, ErrorCode, Path as NodePath, Payload, RunId, RunNo, RunState, SessionNo};
use reader::Reader;
use std::path::{Path, absolute};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tokio::sync::watch;
use upkeep::Upkeep;
use writer::Writer;

/// Runs in an SQLite file.
///
/// What it answers is on disk (`synchronous = FULL`). Dropping it without [`Store::close`] loses nothing: its threads
/// finish what was asked for and end.
pub struct SqliteStore {
    clock: Arc<dyn Clock>,
    foreign: Arc<watch::Sender<u64>>,
    meter: Arc<Meter>,
    writer: Writer,
    /// For short questions that work waits for.
    reader: Reader,
    /// For long ones: lists and histories.
    browser: Reader,
}

impl SqliteStore {
    /// Opens a database file, or makes it. Does file I/O, and waits up to `busy_deadline` for other processes.
    ///
    /// # Errors
    /// `PAWL_STORE_UNAVAILABLE`: the directory does not exist or cannot be used · `PAWL_STORE_READ_ONLY` ·
    /// `PAWL_STORE_FOREIGN`: the file is not a database · `PAWL_STORE_CORRUPT` · `PAWL_STORE_NEWER`: a newer pawl made
    /// it · `PAWL_STORE_BUSY`: somebody holds its lock · `PAWL_STORE_FULL`: no room on the disk.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<SqliteStore, StoreError> {
        let file: Arc<Path> = absolute(path.as_ref()).map_err(|error| no_path(path.as_ref(), &error))?.into();
        SqliteStore::open_file(&file, options).map_err(|fault| fault.told(&file))
    }

    fn open_file(file: &Arc<Path>, options: SqliteOptions) -> Outcome<SqliteStore> {
        let (meter, wal_pages) = (Arc::new(Meter::default()), Arc::new(AtomicU64::new(0)));
        let foreign = Arc::new(watch::Sender::new(0));
        let writer = Db::new(open::writer(file, &options, wal_pages.clone())?, meter.clone());
        let reader = Db::new(open::reader(file, &options)?, meter.clone());
        let browser = Db::new(open::reader(file, &options)?, meter.clone());
        let upkeep = Upkeep::new(&writer, foreign.clone(), wal_pages);
        Ok(SqliteStore {
            writer: Writer::spawn(writer, file.clone(), options.clock.clone(), upkeep).map_err(no_thread)?,
            reader: Reader::spawn("pawl-sqlite-read", reader, file.clone()).map_err(no_thread)?,
            browser: Reader::spawn("pawl-sqlite-list", browser, file.clone()).map_err(no_thread)?,
            clock: options.clock,
            foreign,
            meter,
        })
    }

    /// What was done since it was opened, for benchmarks and tests of cost.
    pub fn counters(&self) -> Counters {
        self.meter.read()
    }
}

fn no_path(path: &Path, error: &std::io::Error) -> StoreError {
    let message = format!("\"{}\" cannot be the path of a database: {error}", path.display());
    StoreError { code: ErrorCode::StoreUnavailable, message, passing: false }
}

fn no_thread(error: std::io::Error) -> Fault {
    let message = format!("The system gives this process no more threads: {error}");
    Fault::Store(StoreError { code: ErrorCode::StoreUnavailable, message, passing: true })
}

impl Store for SqliteStore {
    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn foreign_changes(&self) -> watch::Receiver<u64> {
        self.foreign.subscribe()
    }

    fn register_flows(&self, flows: Vec<FlowRecord>) -> Answer<()> {
        self.writer.ask(move |tx| writes::register_flows(tx, &flows))
    }

    fn find_flow(&self, lookup: FlowLookup) -> Answer<Option<FlowRecord>> {
        self.reader.ask(move |db| reads::find_flow(db, &lookup))
    }

    fn start(&self, runs: Vec<NewRun>) -> Answer<Vec<Result<Started, StartRefusal>>> {
        self.writer.ask(move |tx| writes::start(tx, &runs))
    }

    fn claim(&self, ask: ClaimAsk) -> Answer<Claims> {
        self.writer.ask(move |tx| writes::claim(tx, &ask))
    }

    fn commit(&self, commits: Vec<Commit>) -> Answer<Vec<Result<Committed, Refused>>> {
        self.writer.ask(move |tx| writes::commit(tx, &commits))
    }

    fn hand_back(&self, claims: Vec<HandBack>) -> Answer<()> {
        self.writer.ask(move |tx| writes::hand_back(tx, &claims))
    }

    fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Answer<Vec<(ClaimCheck, ClaimFate)>> {
        self.reader.ask(move |db| reads::check_claims(db, session, &claims))
    }

    fn held(&self, session: SessionNo) -> Answer<Vec<Claimed>> {
        self.reader.ask(move |db| reads::held(db, session))
    }

    fn open_session(&self, session: SessionSpec) -> Answer<SessionNo> {
        self.writer.ask(move |tx| writes::open_session(tx, &session))
    }

    fn heartbeat(&self, session: SessionNo, ttl_ms: i64) -> Answer<bool> {
        self.writer.ask(move |tx| writes::heartbeat(tx, session, ttl_ms))
    }

    fn reap(&self) -> Answer<Reaped> {
        self.writer.ask(writes::reap)
    }

    fn close_session(&self, session: SessionNo) -> Answer<()> {
        self.writer.ask(move |tx| writes::close_session(tx, session))
    }

    fn signal(&self, signals: Vec<NewSignal>) -> Answer<Vec<Result<SignalReceipt, SignalRefusal>>> {
        self.writer.ask(move |tx| writes::signal(tx, &signals))
    }

    fn run(&self, id: RunId) -> Answer<Option<RunRecord>> {
        self.reader.ask(move |db| reads::run_by_id(db, &id))
    }

    fn states(&self, runs: Vec<RunNo>) -> Answer<Vec<Option<RunState>>> {
        self.reader.ask(move |db| reads::states(db, &runs))
    }

    fn list(&self, query: ListQuery) -> Answer<Vec<RunRecord>> {
        let clock = self.clock.clone();
        self.browser.ask(move |db| reads::list(db, &query, clock.now()))
    }

    fn results(&self, run: RunNo, paths: Vec<NodePath>) -> Answer<Vec<Option<Payload>>> {
        self.reader.ask(move |db| reads::results(db, run, &paths))
    }

    fn history(&self, run: RunNo) -> Answer<Vec<HistoryRecord>> {
        self.browser.ask(move |db| reads::history(db, run))
    }

    /// The writer lets go last: whoever closes the last connection moves the log into the database.
    fn close(&self) -> Answer<()> {
        let (reader, browser, writer) = (self.reader.close(), self.browser.close(), self.writer.close());
        Box::pin(async move {
            reader.await;
            browser.await;
            writer.await;
            Ok(())
        })
    }
}
