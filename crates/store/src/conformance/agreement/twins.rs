//! Two stores that live through the same story.

use super::story::{Deed, FLOWS, IDS, WORKERS};
use crate::conformance::fixture::*;
use crate::conformance::pieces::*;
use crate::rules::counts_as_attempt;
use crate::*;
use pawl_core::run::{Control, OpenView, decide_control};
use pawl_core::turn::{Claimed, Outcome, Work, next_work};
use pawl_core::{Decision, Fence, Flow, RunCommit};

/// One claim, as each of the two stores gave it.
type Pair = [Claimed; 2];

pub struct Twins {
    stores: [Fixture; 2],
    flows: Vec<Flow>,
    workers: Vec<[SessionNo; 2]>,
    held: Vec<Pair>,
    spent: Vec<Pair>,
    prefix: String,
}

impl Twins {
    pub async fn new(t: &Fixture, seed: u64) -> Twins {
        let memory = Fixture::new(Arc::new(MemoryStore::new(Arc::new(t.clock.clone()))), t.clock.clone());
        let mut twins = Twins {
            stores: [t.clone(), memory],
            flows: Vec::new(),
            workers: Vec::new(),
            held: Vec::new(),
            spent: Vec::new(),
            prefix: format!("seed-{seed}"),
        };
        for flow in 0..FLOWS {
            let mut built = None;
            for store in &twins.stores {
                built = Some(
                    store
                        .register(&definition(&format!("{}-{flow}", twins.prefix), deadline(flow), pieces(flow)))
                        .await,
                );
            }
            twins.flows.extend(built);
        }
        for _ in 0..WORKERS {
            let worker = twins.open_session().await;
            twins.workers.push(worker);
        }
        twins
    }

    /// Does the same to both, and compares what they answer.
    pub async fn tell(&mut self, deed: Deed, line: &str) {
        match deed {
            Deed::Start { id, flow, on_conflict, keep } => self.start(id, flow, on_conflict, keep, line).await,
            Deed::Claim { worker, flow } => self.claim(worker, flow, line).await,
            Deed::Work { claim, keep } => {
                let Some(pair) = self.take(claim) else { return };
                self.work(pair, keep, line).await;
            }
            Deed::Fail { claim, retryable } => {
                let Some(pair) = self.take(claim) else { return };
                if !counts_as_attempt(&pair[0].state.phase) {
                    return self.held.push(pair);
                }
                let flow = self.flow_of(&pair[0]).clone();
                let mut thrown = thrown();
                thrown.retryable = retryable;
                let decisions =
                    [0, 1].map(|at| self.stores[at].decide(&flow, &pair[at], Outcome::Failed(thrown.clone())));
                self.commit(pair, decisions, None, line).await;
            }
            Deed::Stale { claim } => {
                let Some(pair) = wrapped(claim, &self.spent).map(|at| self.spent[at].clone()) else { return };
                let flow = self.flow_of(&pair[0]).clone();
                for at in [0, 1] {
                    assert_eq!(self.stores[at].try_succeed(&flow, &pair[at]).await, Err(Refused::StaleFence), "{line}");
                }
            }
            Deed::HandBack { claim, started } => {
                let Some(pair) = self.take(claim) else { return };
                for at in [0, 1] {
                    self.stores[at].hand_back(&pair[at], started).await;
                }
                self.spent.push(pair);
            }
            Deed::Signal { id, name, key } => {
                let (id, name) = (self.id(id), ["ok", "go"][name]);
                let key = key.map(|key| format!("key-{key}"));
                let signal = || new_signal(&id, name, &format!("\"{line}\""), key.as_deref());
                let answers = [self.stores[0].try_signal(signal()).await, self.stores[1].try_signal(signal()).await];
                assert_eq!(answers[0], answers[1], "{line}");
            }
            Deed::Cancel { id } => self.control(id, Control::Cancel { reason: None, by: None }, line).await,
            Deed::Pause { id } => self.control(id, Control::Pause { reason: None, by: None }, line).await,
            Deed::Resume { id } => self.control(id, Control::Resume { by: None }, line).await,
            Deed::Advance { by_ms } => self.stores[0].clock.advance(by_ms),
            Deed::Heartbeat { worker } => {
                let beat = |at: usize| self.stores[at].store.heartbeat(self.workers[worker][at], TTL_MS);
                assert_eq!(beat(0).await, beat(1).await, "{line}");
            }
            Deed::Reap => {
                let [one, two] = &self.stores;
                assert_eq!(one.store.reap().await, two.store.reap().await, "{line}");
            }
            Deed::Replace { worker } => {
                for at in [0, 1] {
                    self.stores[at].store.close_session(self.workers[worker][at]).await.expect("the store answers");
                }
                self.workers[worker] = self.open_session().await;
            }
        }
    }

    /// Closes the story, so that the next one finds nothing due.
    pub async fn end(mut self, line: &str) {
        for id in 0..IDS {
            self.compare(id, line).await;
            self.control(id, Control::Cancel { reason: None, by: None }, line).await;
            self.compare(id, line).await;
        }
        for worker in 0..WORKERS {
            for at in [0, 1] {
                self.stores[at].store.close_session(self.workers[worker][at]).await.expect("the store answers");
            }
        }
    }

    /// Compares all that can be seen of an id.
    pub async fn compare(&self, id: usize, line: &str) {
        let id = self.id(id);
        let mut seen = Vec::new();
        for t in &self.stores {
            let is_there = t.store.run(id.as_str().into()).await.expect("the store answers").is_some();
            seen.push(if is_there { Some(plain(t.trace(&id).await)) } else { None });
        }
        assert_eq!(seen[0], seen[1], "{line}, {id}");
    }

    async fn start(
        &mut self,
        id: usize,
        flow: usize,
        on_conflict: OnConflict,
        keep: Option<(usize, usize)>,
        line: &str,
    ) {
        let mut kept = Vec::new();
        let mut answers = Vec::new();
        for at in [0, 1] {
            let keep = keep.map(|(worker, limit)| (self.workers[worker][at], limit));
            let new = NewRun { on_conflict, keep, ..self.stores[at].new_run(&self.flows[flow], &self.id(id)) };
            answers.push(match self.stores[at].try_start(new).await {
                Ok(Started::New { kept: mine, .. }) => {
                    kept.push(mine);
                    "new".to_owned()
                }
                Ok(Started::Existing { .. }) => "existing".to_owned(),
                Err(refusal) => format!("{refusal:?}"),
            });
        }
        assert_eq!(answers[0], answers[1], "{line}");
        if let Ok([mine, theirs]) = <[Vec<Claimed>; 2]>::try_from(kept) {
            self.hold(mine, theirs, line);
        }
    }

    async fn claim(&mut self, worker: usize, flow: Option<usize>, line: &str) {
        let flows: Vec<&Flow> = match flow {
            Some(flow) => vec![&self.flows[flow]],
            None => self.flows.iter().collect(),
        };
        // All that is due, because of two branches due at one moment a store may prefer either.
        let [one, two] = &self.stores;
        let mine = one.claims(self.workers[worker][0], &flows, 1_000).await;
        let theirs = two.claims(self.workers[worker][1], &flows, 1_000).await;
        assert_eq!(mine.next_due_at, theirs.next_due_at, "{line}");
        self.hold(mine.claimed, theirs.claimed, line);
    }

    async fn work(&mut self, pair: Pair, keep: Option<(usize, usize)>, line: &str) {
        let flow = self.flow_of(&pair[0]).clone();
        let now = self.stores[0].now();
        let work = [next_work(&flow, &pair[0], now), next_work(&flow, &pair[1], now)];
        assert_eq!(work[0], work[1], "{line}");
        let [work, _] = work;
        let decision = match work {
            Work::Run(_) => self.stores[0].decide(&flow, &pair[0], Outcome::Succeeded(output_of(&pair[0]))),
            Work::Gather(_) => self.stores[0].decide(&flow, &pair[0], Outcome::Succeeded(json("{}"))),
            Work::Settle(decision) => decision,
            Work::Release => {
                for at in [0, 1] {
                    self.stores[at].hand_back(&pair[at], false).await;
                }
                return self.spent.push(pair);
            }
        };
        self.commit(pair, [decision.clone(), decision], keep, line).await;
    }

    async fn commit(&mut self, pair: Pair, decisions: [Decision; 2], keep: Option<(usize, usize)>, line: &str) {
        let [mine, theirs] = decisions;
        assert_eq!(mine, theirs, "{line}");
        let keep = |at: usize| keep.map(|(worker, limit)| (self.workers[worker][at], limit));
        let mine = self.stores[0].commit(turn_of(&pair[0], mine, keep(0))).await;
        let theirs = self.stores[1].commit(turn_of(&pair[1], theirs, keep(1))).await;
        match (mine, theirs) {
            (Ok(mine), Ok(theirs)) => {
                assert_eq!(
                    (mine.let_go, mine.next_due_at, mine.ended),
                    (theirs.let_go, theirs.next_due_at, theirs.ended),
                    "{line}"
                );
                self.hold(mine.kept, theirs.kept, line);
            }
            (mine, theirs) => {
                let refused = mine.clone().err();
                assert_eq!(mine, theirs, "{line}");
                if refused == Some(Refused::SignalTaken) {
                    for at in [0, 1] {
                        self.stores[at].hand_back(&pair[at], false).await;
                    }
                }
            }
        }
        self.spent.push(pair);
    }

    async fn control(&mut self, id: usize, control: Control, line: &str) {
        let mut answers = Vec::new();
        for t in &self.stores {
            let Some(record) = t.store.run(self.id(id).as_str().into()).await.expect("the store answers") else {
                return;
            };
            let Ok((state, open, event)) = decide_control(&record.state, control.clone()) else { return };
            let commit =
                RunCommit { run: record.run, expected_version: record.version, state, open, events: vec![event] };
            answers.push(t.commit(Commit::Run(commit)).await);
        }
        assert_eq!(answers[0], answers[1], "{line}");
    }

    async fn open_session(&self) -> [SessionNo; 2] {
        [self.stores[0].session().await, self.stores[1].session().await]
    }

    /// Remembers what both gave out, after making sure that it is the same.
    fn hold(&mut self, mut mine: Vec<Claimed>, mut theirs: Vec<Claimed>, line: &str) {
        for claims in [&mut mine, &mut theirs] {
            claims.sort_by(|a, b| (&a.run_id, &a.scope).cmp(&(&b.run_id, &b.scope)));
        }
        let plain = |claims: &[Claimed]| -> Vec<Claimed> {
            claims.iter().map(|claimed| Claimed { run: RunNo(0), fence: Fence(0), ..claimed.clone() }).collect()
        };
        assert_eq!(plain(&mine), plain(&theirs), "{line}");
        self.held.extend(mine.into_iter().zip(theirs).map(|(mine, theirs)| [mine, theirs]));
    }

    fn take(&mut self, claim: usize) -> Option<Pair> {
        wrapped(claim, &self.held).map(|at| self.held.swap_remove(at))
    }

    fn flow_of(&self, claimed: &Claimed) -> &Flow {
        self.flows.iter().find(|flow| flow.hash == claimed.flow).expect("a flow of this story")
    }

    fn id(&self, id: usize) -> String {
        format!("{}/order-{id}", self.prefix)
    }
}

/// Without the numbers that each store chooses for itself.
fn plain(mut trace: Trace) -> Trace {
    trace.record.run = RunNo(0);
    for branch in &mut trace.record.open {
        // Of a claimed branch, nobody asks when it is due.
        branch.due_at = branch.due_at.filter(|_| !branch.claimed);
    }
    trace.record.open.sort_by(|a: &OpenView, b| a.scope.cmp(&b.scope));
    trace
}

fn wrapped<T>(place: usize, things: &[T]) -> Option<usize> {
    place.checked_rem(things.len())
}

fn deadline(flow: usize) -> Option<i64> {
    [None, Some(30_000), None][flow]
}

fn pieces(flow: usize) -> Vec<Piece> {
    match flow {
        0 => vec![retried("charge", 3, 100), timed("ship", 5_000), delay("nap", 1_000), step("thank")],
        1 => {
            let inner = joined("in", [("x", vec![step("a")]), ("y", vec![retried("b", 2, 0), delay("nap", 0)])]);
            let branches =
                [("l", vec![inner, step("after")]), ("m", vec![signal("ok")]), ("r", vec![delay("nap", 100)])];
            vec![forked("out", branches), timed("end", 100)]
        }
        _ => {
            let wait = |name| vec![patient(name, "ok", 2_000)];
            vec![
                step("begin"),
                joined("all", [("a", wait("wait")), ("b", vec![patient("wait", "ok", 2_000)])]),
                signal("go"),
            ]
        }
    }
}
