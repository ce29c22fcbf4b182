//! Where runs live. One trait, several stores, one conformance suite for all of them.

pub mod clock;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod error;
pub mod memory;
mod records;
mod requests;
pub mod rules;
pub mod sqlite;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::StoreError;
pub use memory::MemoryStore;
pub use records::{
    ClaimCheck, ClaimFate, Claims, Committed, FlowRecord, HistoryRecord, Reaped, Refused, ResultRecord, RunRecord,
    SignalReceipt, SignalRefusal, StartRefusal, Started,
};
pub use requests::{
    ClaimAsk, ClaimFilter, FlowLookup, HandBack, ListQuery, NewRun, NewSignal, OnConflict, SessionSpec, StatusFilter,
};
pub use sqlite::{SqliteOptions, SqliteStore};

use pawl_core::turn::Claimed;
use pawl_core::{Commit, Path, Payload, RunId, RunNo, RunState, SessionNo};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// A promised answer of a store.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// A durable place for runs. Every method is one transaction: what it answers is on disk, and what it refuses has left
/// no trace. All methods may be called at once from many tasks; a store groups what arrives together into one
/// transaction where it can.
///
/// An outer `Err(StoreError)` means that the store could not do its work (away, full, damaged) and nothing was stored;
/// refusals that belong to one item of a batch are in the answer and do not touch its neighbours.
pub trait Store: Send + Sync + 'static {
    /// The clock by which everything in this store becomes due. Never a worker's own.
    fn clock(&self) -> Arc<dyn Clock>;

    /// Moves on whenever something was committed that did not come through this object: another process wrote to the
    /// same database. Within 50 ms of that commit.
    fn foreign_changes(&self) -> watch::Receiver<u64>;

    /// Keeps definitions by their hash. Storing a known hash again updates the stored text (tuning may have changed).
    fn register_flows(&self, flows: Vec<FlowRecord>) -> Answer<()>;

    /// A stored definition by hash, or the one registered last under a name.
    fn find_flow(&self, lookup: FlowLookup) -> Answer<Option<FlowRecord>>;

    /// Starts runs. The run, its input (the result at the empty path) and its first branches are one write, and so is
    /// the decision about an id that is in use.
    fn start(&self, runs: Vec<NewRun>) -> Answer<Vec<Result<Started, StartRefusal>>>;

    /// Hands out due, unclaimed, not held branches that the filter allows, earliest due first and, over several flows,
    /// each flow in turn. Each one handed out gets: the session as owner, `fence + 1`, `attempt + 1`, and
    /// `deadline_at = now + timeout_ms` where a timeout is set. The deadline of an attempt that was lost with its
    /// worker is answered as `lost_deadline_at` and forgotten.
    fn claim(&self, ask: ClaimAsk) -> Answer<Claims>;

    /// Applies turns. Of each: the guard is checked, the results are recorded, the branch is changed, all or nothing.
    ///
    /// Every branch commit raises the branch's fence by one. What it makes due at once is either kept (claimed for
    /// `keep`'s session, as by [`Store::claim`], up to its limit) or let go. New branches of a held run are held.
    /// A branch that comes to await a signal for which a message lies ready is due at once. A result whose path is
    /// taken refuses the commit as [`Refused::StaleFence`]: somebody recorded it before.
    fn commit(&self, commits: Vec<Commit>) -> Answer<Vec<Result<Committed, Refused>>>;

    /// Gives claims back without an outcome: the branch is due again as its phase says, its fence grows by one. Claims
    /// that are not held any more are passed over.
    fn hand_back(&self, claims: Vec<HandBack>) -> Answer<()>;

    /// What became of claims that a session believes to hold: one answer for each that is lost or held back.
    fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Answer<Vec<(ClaimCheck, ClaimFate)>>;

    /// All branches a session holds now, as [`Store::claim`] would answer them. Asked when an answer was lost on its way
    /// (a claim, a commit that kept something): what the session holds and its owner does not know would never move.
    fn held(&self, session: SessionNo) -> Answer<Vec<Claimed>>;

    /// Opens the session of one start of one worker; it lives until `now + ttl_ms`.
    fn open_session(&self, session: SessionSpec) -> Answer<SessionNo>;

    /// One write that extends all a session holds to `now + ttl_ms` (absolute, never added up). `false`: the session
    /// is gone, somebody took over what it held.
    fn heartbeat(&self, session: SessionNo, ttl_ms: i64) -> Answer<bool>;

    /// Ends sessions whose time is over: what they held is due again, with a higher fence, and every attempt among it
    /// counts as a crash and is noted in the run's history. Answers when the next living session runs out.
    fn reap(&self) -> Answer<Reaped>;

    /// Ends a session in good order: what it still holds is handed back and counts as nothing.
    fn close_session(&self, session: SessionNo) -> Answer<()>;

    /// Puts a message into a run's mailbox; a branch that awaits its name becomes due. First in, first out per run and
    /// name. A key that this run has seen under this name is refused as a duplicate, also after the message was read.
    fn signal(&self, signals: Vec<NewSignal>) -> Answer<Vec<Result<SignalReceipt, SignalRefusal>>>;

    /// A run with its open branches, by its id (its newest life).
    fn run(&self, id: RunId) -> Answer<Option<RunRecord>>;

    /// The states of runs, in the order asked; `None` where there is no such run.
    fn states(&self, runs: Vec<RunNo>) -> Answer<Vec<Option<RunState>>>;

    /// Runs, newest first, without payloads.
    fn list(&self, query: ListQuery) -> Answer<Vec<RunRecord>>;

    /// Recorded results, in the order asked; `None` where nothing is recorded.
    fn results(&self, run: RunNo, paths: Vec<Path>) -> Answer<Vec<Option<Payload>>>;

    /// All that is recorded about a run, oldest first, without the values.
    fn history(&self, run: RunNo) -> Answer<Vec<HistoryRecord>>;

    /// Finishes what was asked for and lets go of the database. Later calls answer `PAWL_CLOSED`.
    fn close(&self) -> Answer<()>;
}
