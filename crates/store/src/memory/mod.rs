//! The store that forgets everything with its process: for tests, for trying things out, and as the plain statement of
//! what every other store does with rows and transactions.

mod claim;
mod commit;
mod flows;
mod queue;
mod reads;
mod run;
mod sessions;
mod signals;
mod start;
mod world;

use crate::clock::Clock;
use crate::{
    Answer, ClaimAsk, ClaimCheck, ClaimFate, Claims, Committed, FlowLookup, FlowRecord, HandBack, HistoryRecord,
    ListQuery, NewRun, NewSignal, Reaped, Refused, RunRecord, SessionSpec, SignalReceipt, SignalRefusal, StartRefusal,
    Started, Store, StoreError,
};
use pawl_core::turn::Claimed;
use pawl_core::{Commit, Millis, Path, Payload, RunId, RunNo, RunState, SessionNo};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use world::World;

/// A store in the memory of this process. Finished runs stay until the store is dropped.
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    /// `None` once it is closed.
    world: Mutex<Option<World>>,
    /// Never moves on: nobody else can reach this memory.
    foreign: watch::Sender<u64>,
}

impl MemoryStore {
    /// An empty store that goes by this clock.
    pub fn new(clock: Arc<dyn Clock>) -> MemoryStore {
        MemoryStore { clock, world: Mutex::new(Some(World::default())), foreign: watch::Sender::new(0) }
    }

    /// One transaction: under the lock, at one moment.
    fn transact<T: Send + 'static>(&self, act: impl FnOnce(&mut World, Millis) -> T) -> Answer<T> {
        // Nothing below panics half-way through a change, so a poisoned lock guards a sound world.
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = match world.as_mut() {
            Some(world) => {
                let now = self.clock.now();
                world.notice(now);
                Ok(act(world, now))
            }
            None => Err(StoreError::closed()),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl Store for MemoryStore {
    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn foreign_changes(&self) -> watch::Receiver<u64> {
        self.foreign.subscribe()
    }

    fn register_flows(&self, flows: Vec<FlowRecord>) -> Answer<()> {
        self.transact(|world, _| world.register_flows(flows))
    }

    fn find_flow(&self, lookup: FlowLookup) -> Answer<Option<FlowRecord>> {
        self.transact(|world, _| world.find_flow(&lookup))
    }

    fn start(&self, runs: Vec<NewRun>) -> Answer<Vec<Result<Started, StartRefusal>>> {
        self.transact(|world, now| runs.into_iter().map(|run| world.start(run, now)).collect())
    }

    fn claim(&self, ask: ClaimAsk) -> Answer<Claims> {
        self.transact(|world, now| world.claim(&ask, now))
    }

    fn commit(&self, commits: Vec<Commit>) -> Answer<Vec<Result<Committed, Refused>>> {
        self.transact(|world, now| commits.into_iter().map(|commit| world.commit(commit, now)).collect())
    }

    fn hand_back(&self, claims: Vec<HandBack>) -> Answer<()> {
        self.transact(|world, now| claims.iter().for_each(|claim| world.hand_back(claim, now)))
    }

    fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Answer<Vec<(ClaimCheck, ClaimFate)>> {
        self.transact(|world, _| world.check_claims(session, claims))
    }

    fn held(&self, session: SessionNo) -> Answer<Vec<Claimed>> {
        self.transact(|world, _| world.held(session))
    }

    fn open_session(&self, session: SessionSpec) -> Answer<SessionNo> {
        self.transact(|world, now| world.open_session(session, now))
    }

    fn heartbeat(&self, session: SessionNo, ttl_ms: i64) -> Answer<bool> {
        self.transact(|world, now| world.heartbeat(session, now.plus(ttl_ms)))
    }

    fn reap(&self) -> Answer<Reaped> {
        self.transact(World::reap)
    }

    fn close_session(&self, session: SessionNo) -> Answer<()> {
        self.transact(|world, now| world.close_session(session, now))
    }

    fn signal(&self, signals: Vec<NewSignal>) -> Answer<Vec<Result<SignalReceipt, SignalRefusal>>> {
        self.transact(|world, now| signals.into_iter().map(|signal| world.signal(signal, now)).collect())
    }

    fn run(&self, id: RunId) -> Answer<Option<RunRecord>> {
        self.transact(|world, _| world.run_by_id(&id))
    }

    fn states(&self, runs: Vec<RunNo>) -> Answer<Vec<Option<RunState>>> {
        self.transact(|world, _| world.states(&runs))
    }

    fn list(&self, query: ListQuery) -> Answer<Vec<RunRecord>> {
        self.transact(|world, now| world.list(&query, now))
    }

    fn results(&self, run: RunNo, paths: Vec<Path>) -> Answer<Vec<Option<Payload>>> {
        self.transact(|world, _| world.results(run, &paths))
    }

    fn history(&self, run: RunNo) -> Answer<Vec<HistoryRecord>> {
        self.transact(|world, _| world.history(run))
    }

    fn close(&self) -> Answer<()> {
        *self.world.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Box::pin(std::future::ready(Ok(())))
    }
}
