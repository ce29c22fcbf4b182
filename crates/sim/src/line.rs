//! The line between somebody and the store: calls may fail on their way there, and answers on their way back. What was
//! applied is noted as a [`Fact`] whether its answer arrives or not.

use crate::fact::Fact;
use crate::rng::Rng;
use pawl_core::turn::Claimed;
use pawl_core::{Commit, ErrorCode, Path, Payload, RunId, RunNo, RunState, SessionNo};
use pawl_store::{
    Answer, ClaimAsk, ClaimCheck, ClaimFate, Claims, Clock, Committed, FlowLookup, FlowRecord, HandBack, HistoryRecord,
    ListQuery, NewRun, NewSignal, Reaped, Refused, RunRecord, SessionSpec, SignalReceipt, SignalRefusal, StartRefusal,
    Started, Store, StoreError,
};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use tokio::sync::watch;

/// How reliable the line is, and all that came of it.
struct Weather {
    rng: Rng,
    /// Of a thousand calls, how many never reach the store.
    fails: usize,
    /// Of a thousand calls, how many are done and never answered.
    loses: usize,
    facts: Vec<Fact>,
}

/// The store as everybody sees it.
#[derive(Clone)]
pub struct Line {
    store: Arc<dyn Store>,
    weather: Arc<Mutex<Weather>>,
}

enum Fate {
    Arrives,
    Fails,
    Lost,
}

impl Line {
    pub fn new(store: Arc<dyn Store>, mut rng: Rng) -> Line {
        // Some worlds have a perfect line, so that nothing hides behind its faults.
        let (fails, loses) = if rng.permille(300) { (0, 0) } else { (rng.below(80), rng.below(80)) };
        Line { store, weather: Arc::new(Mutex::new(Weather { rng, fails, loses, facts: Vec::new() })) }
    }

    /// From now on every call arrives and is answered.
    pub fn clear_up(&self) {
        self.with(|weather| (weather.fails, weather.loses) = (0, 0));
    }

    /// What happened since it was asked last.
    pub fn take_facts(&self) -> Vec<Fact> {
        self.with(|weather| std::mem::take(&mut weather.facts))
    }

    /// Something that happened beside the store.
    pub fn note(&self, fact: Fact) {
        self.with(|weather| weather.facts.push(fact));
    }

    fn with<T>(&self, act: impl FnOnce(&mut Weather) -> T) -> T {
        act(&mut self.weather.lock().expect("a world lives in one thread and stops when it panics"))
    }

    fn fate(&self) -> Fate {
        self.with(|weather| {
            if weather.rng.permille(weather.fails) {
                Fate::Fails
            } else if weather.rng.permille(weather.loses) {
                Fate::Lost
            } else {
                Fate::Arrives
            }
        })
    }

    fn call<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Store) -> Answer<T>,
        facts: impl FnOnce(&T) -> Vec<Fact>,
    ) -> Answer<T> {
        let fate = self.fate();
        if let Fate::Fails = fate {
            return Box::pin(std::future::ready(Err(away("the call did not reach the store"))));
        }
        let mut answer = answered(ask(&*self.store));
        if let Ok(answer) = &answer {
            let facts = facts(answer);
            self.with(|weather| weather.facts.extend(facts));
        }
        if let Fate::Lost = fate {
            answer = Err(away("the answer was lost"));
        }
        Box::pin(std::future::ready(answer))
    }
}

/// Waits for an answer. The world stands still meanwhile, so it stays the same world however long a store takes.
pub fn answered<T>(mut answer: Answer<T>) -> Result<T, StoreError> {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match answer.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park(),
        }
    }
}

fn away(message: &str) -> StoreError {
    StoreError { code: ErrorCode::StoreUnavailable, message: message.into(), passing: true }
}

fn granted(session: SessionNo, claimed: &[Claimed]) -> impl Iterator<Item = Fact> {
    claimed.iter().map(move |claimed| Fact::Granted { session, claimed: Box::new(claimed.clone()) })
}

impl Store for Line {
    fn clock(&self) -> Arc<dyn Clock> {
        self.store.clock()
    }

    fn foreign_changes(&self) -> watch::Receiver<u64> {
        self.store.foreign_changes()
    }

    fn register_flows(&self, flows: Vec<FlowRecord>) -> Answer<()> {
        self.call(|store| store.register_flows(flows), |()| Vec::new())
    }

    fn find_flow(&self, lookup: FlowLookup) -> Answer<Option<FlowRecord>> {
        self.call(|store| store.find_flow(lookup), |_| Vec::new())
    }

    fn start(&self, runs: Vec<NewRun>) -> Answer<Vec<Result<Started, StartRefusal>>> {
        let asked = runs.clone();
        self.call(
            |store| store.start(runs),
            |answers| {
                let mut facts = Vec::new();
                for (asked, answer) in asked.into_iter().zip(answers) {
                    let Ok(Started::New { run, kept, .. }) = answer else { continue };
                    let NewRun { id, flow, input, keep, .. } = asked;
                    facts.push(Fact::Started { run: *run, id, flow, input });
                    facts.extend(keep.into_iter().flat_map(|(session, _)| granted(session, kept)));
                }
                facts
            },
        )
    }

    fn claim(&self, ask: ClaimAsk) -> Answer<Claims> {
        let session = ask.session;
        self.call(|store| store.claim(ask), |claims| granted(session, &claims.claimed).collect())
    }

    fn commit(&self, commits: Vec<Commit>) -> Answer<Vec<Result<Committed, Refused>>> {
        let asked = commits.clone();
        self.call(
            |store| store.commit(commits),
            |answers| {
                let mut facts = Vec::new();
                for (asked, answer) in asked.into_iter().zip(answers) {
                    let Ok(committed) = answer else { continue };
                    let Commit::Branch(commit) = asked else { continue };
                    let keep = commit.keep;
                    facts.push(Fact::Committed(Box::new(commit)));
                    facts.extend(keep.into_iter().flat_map(|(session, _)| granted(session, &committed.kept)));
                }
                facts
            },
        )
    }

    fn hand_back(&self, claims: Vec<HandBack>) -> Answer<()> {
        let asked = claims.clone();
        self.call(
            |store| store.hand_back(claims),
            |()| {
                let fact = |claim: HandBack| {
                    let HandBack { run, scope, fence, .. } = claim;
                    Fact::HandedBack { run, scope, fence }
                };
                asked.into_iter().map(fact).collect()
            },
        )
    }

    fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Answer<Vec<(ClaimCheck, ClaimFate)>> {
        self.call(|store| store.check_claims(session, claims), |_| Vec::new())
    }

    fn held(&self, session: SessionNo) -> Answer<Vec<Claimed>> {
        self.call(|store| store.held(session), |_| Vec::new())
    }

    fn open_session(&self, session: SessionSpec) -> Answer<SessionNo> {
        let until = self.clock().now().plus(session.ttl_ms);
        self.call(|store| store.open_session(session), |session| vec![Fact::SessionLives { session: *session, until }])
    }

    fn heartbeat(&self, session: SessionNo, ttl_ms: i64) -> Answer<bool> {
        let until = self.clock().now().plus(ttl_ms);
        self.call(
            |store| store.heartbeat(session, ttl_ms),
            |lives| if *lives { vec![Fact::SessionLives { session, until }] } else { Vec::new() },
        )
    }

    fn reap(&self) -> Answer<Reaped> {
        self.call(|store| store.reap(), |_| Vec::new())
    }

    fn close_session(&self, session: SessionNo) -> Answer<()> {
        self.call(|store| store.close_session(session), |()| vec![Fact::SessionClosed { session }])
    }

    fn signal(&self, signals: Vec<NewSignal>) -> Answer<Vec<Result<SignalReceipt, SignalRefusal>>> {
        let asked = signals.clone();
        self.call(
            |store| store.signal(signals),
            |answers| {
                let fact = |(signal, answer): (NewSignal, &Result<SignalReceipt, SignalRefusal>)| {
                    let NewSignal { run_id: id, name, payload, key } = signal;
                    match answer {
                        Ok(SignalReceipt::Accepted { .. }) => Some(Fact::Signalled { id, name, key, payload }),
                        Ok(SignalReceipt::Duplicate) => Some(Fact::Duplicate { id, key }),
                        Err(_) => None,
                    }
                };
                asked.into_iter().zip(answers).filter_map(fact).collect()
            },
        )
    }

    fn run(&self, id: RunId) -> Answer<Option<RunRecord>> {
        self.call(|store| store.run(id), |_| Vec::new())
    }

    fn states(&self, runs: Vec<RunNo>) -> Answer<Vec<Option<RunState>>> {
        self.call(|store| store.states(runs), |_| Vec::new())
    }

    fn list(&self, query: ListQuery) -> Answer<Vec<RunRecord>> {
        self.call(|store| store.list(query), |_| Vec::new())
    }

    fn results(&self, run: RunNo, paths: Vec<Path>) -> Answer<Vec<Option<Payload>>> {
        self.call(|store| store.results(run, paths), |_| Vec::new())
    }

    fn history(&self, run: RunNo) -> Answer<Vec<HistoryRecord>> {
        self.call(|store| store.history(run), |_| Vec::new())
    }

    fn close(&self) -> Answer<()> {
        self.store.close()
    }
}
