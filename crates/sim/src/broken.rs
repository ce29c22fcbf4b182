//! A store with a bug on purpose.

use crate::line::answered;
use crate::planted::Planted;
use pawl_core::turn::Claimed;
use pawl_core::{Change, Commit, Fence, OpenBranches, Path, Payload, Phase, RunId, RunNo, RunState, Scope, SessionNo};
use pawl_store::{
    Answer, ClaimAsk, ClaimCheck, ClaimFate, Claims, Clock, Committed, FlowLookup, FlowRecord, HandBack, HistoryRecord,
    ListQuery, NewRun, NewSignal, Reaped, Refused, RunRecord, SessionSpec, SignalReceipt, SignalRefusal, StartRefusal,
    Started, Store,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// How much shorter sessions live than they were promised.
const SHORTENED: i64 = 10;

/// A number that no run of a world has.
const NO_RUN: RunNo = RunNo(999_999);

pub struct Broken {
    pub store: Arc<dyn Store>,
    pub planted: Option<Planted>,
    /// The fences given last: what a commit has to show to get past the store's own check.
    pub fences: Mutex<HashMap<(RunNo, Scope), Fence>>,
}

impl Broken {
    pub fn new(store: Arc<dyn Store>, planted: Option<Planted>) -> Broken {
        Broken { store, planted, fences: Mutex::default() }
    }

    fn has(&self, bug: Planted) -> bool {
        self.planted == Some(bug)
    }

    fn learn<'a>(&self, claimed: impl IntoIterator<Item = &'a Claimed>) {
        let mut fences = self.fences.lock().expect("a world lives in one thread");
        fences.extend(claimed.into_iter().map(|claimed| ((claimed.run, claimed.scope.clone()), claimed.fence)));
    }

    fn spoil(&self, mut commit: Commit) -> Commit {
        match &mut commit {
            Commit::Branch(commit) if self.has(Planted::SkippedFence) => {
                let fences = self.fences.lock().expect("a world lives in one thread");
                commit.fence = fences.get(&(commit.run, commit.scope.clone())).copied().unwrap_or(commit.fence);
            }
            Commit::Branch(commit) if self.has(Planted::HastyJoin) => {
                if let Change::Fork { joining, .. } = &mut commit.decision.change
                    && let Phase::Joining { missing: missing @ 2.. } = &mut joining.phase
                {
                    *missing -= 1;
                }
            }
            Commit::Run(commit) => match commit.open {
                OpenBranches::Remove if self.has(Planted::LingeringCancel) => commit.open = OpenBranches::Release,
                OpenBranches::Hold if self.has(Planted::IgnoredPause) => commit.open = OpenBranches::Release,
                OpenBranches::Remove | OpenBranches::Hold | OpenBranches::Release => {}
            },
            Commit::Branch(_) => {}
        }
        commit
    }

    fn ttl(&self, ttl_ms: i64) -> i64 {
        if self.has(Planted::ShortLease) { ttl_ms / SHORTENED } else { ttl_ms }
    }
}

fn at_once<T: Send + 'static>(answer: T) -> Answer<T> {
    Box::pin(std::future::ready(Ok(answer)))
}

impl Store for Broken {
    fn clock(&self) -> Arc<dyn Clock> {
        self.store.clock()
    }

    fn foreign_changes(&self) -> watch::Receiver<u64> {
        self.store.foreign_changes()
    }

    fn register_flows(&self, flows: Vec<FlowRecord>) -> Answer<()> {
        self.store.register_flows(flows)
    }

    fn find_flow(&self, lookup: FlowLookup) -> Answer<Option<FlowRecord>> {
        self.store.find_flow(lookup)
    }

    fn start(&self, runs: Vec<NewRun>) -> Answer<Vec<Result<Started, StartRefusal>>> {
        if self.has(Planted::ForgottenStart) {
            return at_once(
                runs.iter().map(|_| Ok(Started::New { run: NO_RUN, kept: Vec::new(), replaced: None })).collect(),
            );
        }
        let answer = answered(self.store.start(runs));
        for started in answer.iter().flatten().flatten() {
            if let Started::New { kept, .. } = started {
                self.learn(kept);
            }
        }
        Box::pin(std::future::ready(answer))
    }

    fn claim(&self, ask: ClaimAsk) -> Answer<Claims> {
        let answer = answered(self.store.claim(ask));
        answer.iter().for_each(|claims| self.learn(&claims.claimed));
        Box::pin(std::future::ready(answer))
    }

    fn commit(&self, commits: Vec<Commit>) -> Answer<Vec<Result<Committed, Refused>>> {
        let commits = commits.into_iter().map(|commit| self.spoil(commit)).collect();
        let answer = answered(self.store.commit(commits));
        answer.iter().flatten().flatten().for_each(|committed| self.learn(&committed.kept));
        Box::pin(std::future::ready(answer))
    }

    fn hand_back(&self, claims: Vec<HandBack>) -> Answer<()> {
        self.store.hand_back(claims)
    }

    fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Answer<Vec<(ClaimCheck, ClaimFate)>> {
        self.store.check_claims(session, claims)
    }

    fn held(&self, session: SessionNo) -> Answer<Vec<Claimed>> {
        self.store.held(session)
    }

    fn open_session(&self, session: SessionSpec) -> Answer<SessionNo> {
        let ttl_ms = self.ttl(session.ttl_ms);
        self.store.open_session(SessionSpec { ttl_ms, ..session })
    }

    fn heartbeat(&self, session: SessionNo, ttl_ms: i64) -> Answer<bool> {
        self.store.heartbeat(session, self.ttl(ttl_ms))
    }

    fn reap(&self) -> Answer<Reaped> {
        self.store.reap()
    }

    fn close_session(&self, session: SessionNo) -> Answer<()> {
        self.store.close_session(session)
    }

    fn signal(&self, signals: Vec<NewSignal>) -> Answer<Vec<Result<SignalReceipt, SignalRefusal>>> {
        let is_live = |signal: &NewSignal| {
            let record = answered(self.store.run(signal.run_id.clone())).ok().flatten();
            record.is_some_and(|record| !record.state.is_terminal())
        };
        if self.has(Planted::ForgottenSignal) && signals.iter().all(is_live) {
            return at_once(signals.iter().map(|_| Ok(SignalReceipt::Accepted { woke: true })).collect());
        }
        self.store.signal(signals)
    }

    fn run(&self, id: RunId) -> Answer<Option<RunRecord>> {
        self.store.run(id)
    }

    fn states(&self, runs: Vec<RunNo>) -> Answer<Vec<Option<RunState>>> {
        self.store.states(runs)
    }

    fn list(&self, query: ListQuery) -> Answer<Vec<RunRecord>> {
        self.store.list(query)
    }

    fn results(&self, run: RunNo, paths: Vec<Path>) -> Answer<Vec<Option<Payload>>> {
        let answer = answered(self.store.results(run, paths));
        let spoilt = answer.map(|mut values| {
            let full = values.iter().all(Option::is_some);
            if let Some(Some(last)) = values.last_mut().filter(|_| full && self.has(Planted::ChangedResult)) {
                *last = Payload::json("\"changed\"");
            }
            values
        });
        Box::pin(std::future::ready(spoilt))
    }

    fn history(&self, run: RunNo) -> Answer<Vec<HistoryRecord>> {
        self.store.history(run)
    }

    fn close(&self) -> Answer<()> {
        self.store.close()
    }
}
