//! A store that fails, forgets to answer or lets others wait when the story says so, and counts what it is asked.

use pawl_core::turn::Claimed;
use pawl_core::{Commit, ErrorCode, Path, Payload, RunId, RunNo, RunState, SessionNo};
use pawl_store::{
    Answer, ClaimAsk, ClaimCheck, ClaimFate, Claims, Clock, Committed, FlowLookup, FlowRecord, HandBack, HistoryRecord,
    ListQuery, NewRun, NewSignal, Reaped, Refused, RunRecord, SessionSpec, SignalReceipt, SignalRefusal, StartRefusal,
    Started, Store, StoreError,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// What goes wrong with one call.
#[derive(Clone)]
pub enum Fault {
    /// Nothing is stored, and it says so.
    Fail,
    /// Nothing is stored, and waiting will not help.
    Refuse,
    /// What was asked for cannot be read, today or ever.
    Damage,
    /// All is stored, but the answer is lost.
    LoseAnswer,
    /// All is stored, and the answer comes when the story says so.
    Delay(Arc<Notify>),
    /// The deed comes late, and so does the answer, if it is not lost on its way.
    #[allow(dead_code, reason = "only storms need it")]
    Late { before: Duration, after: Duration, lost: bool },
    /// Neither a deed nor an answer, ever.
    Hang,
    /// A fault in the store itself.
    Panic,
}

/// What goes wrong with a call of this name, if anything does.
pub type Weather = Box<dyn FnMut(&'static str) -> Option<Fault> + Send>;

/// See the module.
pub struct Rigged {
    inner: Arc<dyn Store>,
    calls: watch::Sender<HashMap<&'static str, usize>>,
    faults: Mutex<HashMap<&'static str, VecDeque<Fault>>>,
    away: watch::Sender<bool>,
    weather: Mutex<Option<Weather>>,
    foreign: watch::Sender<u64>,
    refused_run: Mutex<Option<RunNo>>,
    neighbours: Mutex<Vec<Weak<Rigged>>>,
    deaf: Arc<AtomicBool>,
}

impl Rigged {
    pub fn new(inner: Arc<dyn Store>) -> Arc<Rigged> {
        let mut changes = inner.foreign_changes();
        let rigged = Arc::new(Rigged {
            inner,
            calls: watch::Sender::default(),
            faults: Mutex::default(),
            away: watch::Sender::new(false),
            weather: Mutex::default(),
            foreign: watch::Sender::new(0),
            refused_run: Mutex::default(),
            neighbours: Mutex::default(),
            deaf: Arc::default(),
        });
        let (foreign, deaf) = (rigged.foreign.clone(), rigged.deaf.clone());
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                if !deaf.load(Ordering::SeqCst) {
                    foreign.send_modify(|count| *count += 1);
                }
            }
        });
        rigged
    }

    /// The next calls of this name go wrong.
    pub fn break_next(&self, call: &'static str, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().entry(call).or_default().extend(faults);
    }

    /// From now on no batch with a turn of this run is taken.
    pub fn refuse_commits_of(&self, run: RunNo) {
        *self.refused_run.lock().unwrap() = Some(run);
    }

    /// From now on every call fails, or none does.
    pub fn set_away(&self, away: bool) {
        self.away.send_replace(away);
    }

    /// From now on this decides about every call that no story has decided about.
    #[allow(dead_code, reason = "only storms need it")]
    pub fn set_weather(&self, weather: Weather) {
        *self.weather.lock().unwrap() = Some(weather);
    }

    /// Another process wrote to this store.
    pub fn foreign_change(&self) {
        self.foreign.send_modify(|count| *count += 1);
    }

    /// From now on no change of others is heard of.
    pub fn deafen(&self) {
        self.deaf.store(true, Ordering::SeqCst);
    }

    /// From now on both hear of each other's calls, as two processes with one database do.
    pub fn link(self: &Arc<Self>, other: &Arc<Rigged>) {
        self.neighbours.lock().unwrap().push(Arc::downgrade(other));
        other.neighbours.lock().unwrap().push(Arc::downgrade(self));
    }

    /// How often this was asked.
    pub fn count(&self, call: &str) -> usize {
        self.calls.borrow().get(call).copied().unwrap_or_default()
    }

    /// Waits until this was asked so often.
    pub async fn asked(&self, call: &str, count: usize) {
        let mut calls = self.calls.subscribe();
        let enough = |calls: &HashMap<&'static str, usize>| calls.get(call).copied().unwrap_or_default() >= count;
        drop(super::soon(&format!("{count} calls of {call}"), calls.wait_for(enough)).await);
    }

    fn through<T: Send + 'static>(
        &self,
        call: &'static str,
        act: impl FnOnce(&dyn Store) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let fault = match *self.away.borrow() {
            true => Some(Fault::Fail),
            false => self.faults.lock().unwrap().get_mut(call).and_then(VecDeque::pop_front),
        };
        let fault = fault.or_else(|| self.weather.lock().unwrap().as_mut().and_then(|weather| weather(call)));
        let heard = ["start", "commit", "hand_back", "signal", "reap", "close_session"].contains(&call);
        let neighbours = if heard { self.neighbours.lock().unwrap().clone() } else { Vec::new() };
        let late = matches!(fault, Some(Fault::Late { .. }));
        let answer: Answer<T> = match fault {
            None => act(&*self.inner),
            Some(Fault::Fail) => Box::pin(std::future::ready(Err(unavailable(true)))),
            Some(Fault::Refuse) => Box::pin(std::future::ready(Err(unavailable(false)))),
            Some(Fault::Damage) => Box::pin(std::future::ready(Err(StoreError::damaged("as the story wants it")))),
            Some(Fault::LoseAnswer) => {
                let done = act(&*self.inner);
                Box::pin(async {
                    drop(done.await);
                    Err(unavailable(true))
                })
            }
            Some(Fault::Delay(until)) => {
                let done = act(&*self.inner);
                Box::pin(async move {
                    let answer = done.await;
                    until.notified().await;
                    answer
                })
            }
            Some(Fault::Late { before, after, lost }) => {
                let (inner, neighbours) = (self.inner.clone(), neighbours.clone());
                Box::pin(async move {
                    tokio::time::sleep(before).await;
                    let answer = act(&*inner).await;
                    tell(&neighbours);
                    tokio::time::sleep(after).await;
                    if lost { Err(unavailable(true)) } else { answer }
                })
            }
            Some(Fault::Hang) => Box::pin(std::future::pending()),
            Some(Fault::Panic) => Box::pin(async { panic!("the store fell over") }),
        };
        self.calls.send_modify(|calls| *calls.entry(call).or_default() += 1);
        if !late {
            tell(&neighbours);
        }
        answer
    }
}

fn tell(neighbours: &[Weak<Rigged>]) {
    neighbours.iter().filter_map(Weak::upgrade).for_each(|other| other.foreign_change());
}

fn unavailable(passing: bool) -> StoreError {
    StoreError { code: ErrorCode::StoreUnavailable, message: "the story took the store away".into(), passing }
}

impl Store for Rigged {
    fn clock(&self) -> Arc<dyn Clock> {
        self.inner.clock()
    }

    fn foreign_changes(&self) -> watch::Receiver<u64> {
        self.foreign.subscribe()
    }

    fn register_flows(&self, flows: Vec<FlowRecord>) -> Answer<()> {
        self.through("register_flows", move |store| store.register_flows(flows))
    }

    fn find_flow(&self, lookup: FlowLookup) -> Answer<Option<FlowRecord>> {
        self.through("find_flow", move |store| store.find_flow(lookup))
    }

    fn start(&self, runs: Vec<NewRun>) -> Answer<Vec<Result<Started, StartRefusal>>> {
        self.through("start", move |store| store.start(runs))
    }

    fn claim(&self, ask: ClaimAsk) -> Answer<Claims> {
        self.through("claim", move |store| store.claim(ask))
    }

    fn commit(&self, commits: Vec<Commit>) -> Answer<Vec<Result<Committed, Refused>>> {
        let refused = *self.refused_run.lock().unwrap();
        let hits = |commit: &Commit| matches!(commit, Commit::Branch(turn) if Some(turn.run) == refused);
        if commits.iter().any(hits) {
            self.break_next("commit", [Fault::Refuse]);
        }
        self.through("commit", move |store| store.commit(commits))
    }

    fn hand_back(&self, claims: Vec<HandBack>) -> Answer<()> {
        self.through("hand_back", move |store| store.hand_back(claims))
    }

    fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Answer<Vec<(ClaimCheck, ClaimFate)>> {
        self.through("check_claims", move |store| store.check_claims(session, claims))
    }

    fn held(&self, session: SessionNo) -> Answer<Vec<Claimed>> {
        self.through("held", move |store| store.held(session))
    }

    fn open_session(&self, session: SessionSpec) -> Answer<SessionNo> {
        self.through("open_session", move |store| store.open_session(session))
    }

    fn heartbeat(&self, session: SessionNo, ttl_ms: i64) -> Answer<bool> {
        self.through("heartbeat", move |store| store.heartbeat(session, ttl_ms))
    }

    fn reap(&self) -> Answer<Reaped> {
        self.through("reap", move |store| store.reap())
    }

    fn close_session(&self, session: SessionNo) -> Answer<()> {
        self.through("close_session", move |store| store.close_session(session))
    }

    fn signal(&self, signals: Vec<NewSignal>) -> Answer<Vec<Result<SignalReceipt, SignalRefusal>>> {
        self.through("signal", move |store| store.signal(signals))
    }

    fn run(&self, id: RunId) -> Answer<Option<RunRecord>> {
        self.through("run", move |store| store.run(id))
    }

    fn states(&self, runs: Vec<RunNo>) -> Answer<Vec<Option<RunState>>> {
        self.through("states", move |store| store.states(runs))
    }

    fn list(&self, query: ListQuery) -> Answer<Vec<RunRecord>> {
        self.through("list", move |store| store.list(query))
    }

    fn results(&self, run: RunNo, paths: Vec<Path>) -> Answer<Vec<Option<Payload>>> {
        self.through("results", move |store| store.results(run, paths))
    }

    fn history(&self, run: RunNo) -> Answer<Vec<HistoryRecord>> {
        self.through("history", move |store| store.history(run))
    }

    fn close(&self) -> Answer<()> {
        self.through("close", move |store| store.close())
    }
}
