//! A fresh store and what a test does with it: the decisions in these tests are the core's own.

use super::pieces::{Piece, definition};
use crate::*;
use pawl_core::flow::Definition;
use pawl_core::run::{Control, decide_control};
use pawl_core::turn::{self, Claimed, Outcome, ThrownError, Work, next_work};
use pawl_core::{BranchCommit, Decision, ErrorCode, Flow, Millis, RunCommit};
use std::any::Any;

/// How long a session lives without a heartbeat.
pub const TTL_MS: i64 = 20_000;

/// A store with a clock of its own, and whatever has to live as long.
#[derive(Clone)]
pub struct Fixture {
    /// The store under test.
    pub store: Arc<dyn Store>,
    /// Another handle on the same data, where a store can be shared.
    pub second: Option<Arc<dyn Store>>,
    /// The clock of both.
    pub clock: ManualClock,
    _belongings: Arc<dyn Any + Send + Sync>,
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
pub struct Trace {
    record: RunRecord,
    history: Vec<HistoryRecord>,
    results: Vec<Option<Payload>>,
}

/// How things are asked for.
impl Fixture {
    /// A clock for a new fixture.
    pub fn clock() -> ManualClock {
        ManualClock::at(Millis(1_800_000_000_000))
    }

    /// A fixture of a store that goes by this clock.
    pub fn new(store: Arc<dyn Store>, clock: ManualClock) -> Fixture {
        Fixture { store, second: None, clock, _belongings: Arc::new(()) }
    }

    /// With a second handle on the same data.
    pub fn with_second(self, second: Arc<dyn Store>) -> Fixture {
        Fixture { second: Some(second), ..self }
    }

    /// With something that lives as long as the fixture: the directory of a file.
    pub fn keeping(self, belongings: impl Any + Send + Sync) -> Fixture {
        Fixture { _belongings: Arc::new(belongings), ..self }
    }

    /// The same data through the second handle.
    pub fn other(&self) -> Fixture {
        let second = self.second.clone().expect("a shared store has a second handle");
        Fixture { store: second, second: Some(self.store.clone()), ..self.clone() }
    }

    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    pub async fn flow<const N: usize>(&self, name: &str, pieces: [Piece; N]) -> Flow {
        self.register(&definition(name, None, pieces.into())).await
    }

    pub async fn register(&self, definition: &Definition) -> Flow {
        let flow = definition.build().expect("a sound definition");
        let text = serde_json::to_string(definition).expect("a definition is JSON");
        let record = FlowRecord { hash: flow.hash.clone(), name: definition.name.clone(), definition: text };
        self.store.register_flows(vec![record]).await.expect("registered");
        flow
    }

    pub async fn session(&self) -> SessionNo {
        self.session_of("worker").await
    }

    pub async fn session_of(&self, worker: &str) -> SessionNo {
        self.store.open_session(SessionSpec { worker: worker.into(), ttl_ms: TTL_MS }).await.expect("a session")
    }
}

/// Starts and claims.
impl Fixture {
    pub fn new_run(&self, flow: &Flow, id: &str) -> NewRun {
        NewRun {
            id: id.into(),
            flow: flow.hash.clone(),
            input: input_of(id),
            branches: turn::start(flow, self.now()),
            deadline_at: flow.deadline_ms.map(|after_ms| self.now().plus(after_ms)),
            on_conflict: OnConflict::Fail,
            keep: None,
        }
    }

    pub async fn try_start(&self, new: NewRun) -> Result<Started, StartRefusal> {
        let mut answers = self.store.start(vec![new]).await.expect("the store answers");
        assert_eq!(answers.len(), 1, "one answer for each run: {answers:?}");
        answers.remove(0)
    }

    pub async fn start(&self, flow: &Flow, id: &str) -> RunNo {
        match self.try_start(self.new_run(flow, id)).await {
            Ok(Started::New { run, kept }) if kept.is_empty() => run,
            other => panic!("a new run and nothing kept was expected: {other:?}"),
        }
    }

    pub async fn start_many(&self, flow: &Flow, prefix: &str, count: usize) -> Vec<RunNo> {
        let mut runs = Vec::new();
        for at in 0..count {
            runs.push(self.start(flow, &format!("{prefix}-{at}")).await);
        }
        runs
    }

    pub async fn claims(&self, session: SessionNo, flows: &[&Flow], limit: usize) -> Claims {
        let flows = flows.iter().map(|flow| flow.hash.clone()).collect();
        self.ask(ClaimAsk { session, filter: ClaimFilter::Flows(flows), limit }).await
    }

    pub async fn ask(&self, ask: ClaimAsk) -> Claims {
        self.store.claim(ask).await.expect("the store answers")
    }

    pub async fn claim(&self, session: SessionNo, flow: &Flow, limit: usize) -> Vec<Claimed> {
        self.claims(session, &[flow], limit).await.claimed
    }

    /// The only branch of a flow that is due.
    pub async fn claim_one(&self, session: SessionNo, flow: &Flow) -> Claimed {
        let mut claimed = self.claim(session, flow, 10).await;
        assert_eq!(claimed.len(), 1, "one due branch was expected: {claimed:#?}");
        claimed.remove(0)
    }

    pub async fn expect_nothing_due(&self, flow: &Flow) {
        let claimed = self.claim(self.session().await, flow, 10).await;
        assert_eq!(claimed, [], "nothing was expected to be due");
    }

    pub async fn hand_back(&self, claimed: &Claimed, started: bool) {
        let Claimed { run, scope, fence, .. } = claimed.clone();
        self.store.hand_back(vec![HandBack { run, scope, fence, started }]).await.expect("the store answers");
    }
}

/// Turns.
impl Fixture {
    pub fn decide(&self, flow: &Flow, claimed: &Claimed, outcome: Outcome) -> Decision {
        turn::apply(flow, claimed, outcome, self.now())
    }

    pub async fn commit(&self, commit: Commit) -> Result<Committed, Refused> {
        let mut answers = self.store.commit(vec![commit]).await.expect("the store answers");
        assert_eq!(answers.len(), 1, "one answer for each commit: {answers:?}");
        answers.remove(0)
    }

    pub async fn turn(&self, flow: &Flow, claimed: &Claimed, outcome: Outcome) -> Result<Committed, Refused> {
        self.commit(turn_of(claimed, self.decide(flow, claimed, outcome), None)).await
    }

    pub async fn try_succeed(&self, flow: &Flow, claimed: &Claimed) -> Result<Committed, Refused> {
        self.turn(flow, claimed, Outcome::Succeeded(output_of(claimed))).await
    }

    pub async fn succeed(&self, flow: &Flow, claimed: &Claimed) -> Committed {
        self.try_succeed(flow, claimed).await.expect("the claim is good")
    }

    pub async fn succeed_keeping(&self, flow: &Flow, claimed: &Claimed, by: SessionNo, limit: usize) -> Committed {
        let decision = self.decide(flow, claimed, Outcome::Succeeded(output_of(claimed)));
        self.commit(turn_of(claimed, decision, Some((by, limit)))).await.expect("the claim is good")
    }

    pub async fn fail(&self, flow: &Flow, claimed: &Claimed) -> Committed {
        self.turn(flow, claimed, Outcome::Failed(thrown())).await.expect("the claim is good")
    }

    /// Does for a claimed branch what a worker would do; every function returns [`output_of`].
    pub async fn work(&self, flow: &Flow, claimed: &Claimed) -> Result<Committed, Refused> {
        let decision = match next_work(flow, claimed, self.now()) {
            Work::Run(_) => self.decide(flow, claimed, Outcome::Succeeded(output_of(claimed))),
            Work::Gather(parts) => {
                let paths = parts.iter().map(|(_, path)| path.clone()).collect();
                let outputs = self.store.results(claimed.run, paths).await.expect("the store answers");
                let outputs: Vec<Payload> =
                    outputs.into_iter().map(|output| output.expect("a branch's output")).collect();
                let whole = Payload::object(parts.iter().map(|(name, _)| &**name).zip(&outputs));
                self.decide(flow, claimed, Outcome::Succeeded(whole))
            }
            Work::Settle(decision) => decision,
            Work::Release => {
                self.hand_back(claimed, false).await;
                return Ok(Committed::default());
            }
        };
        self.commit(turn_of(claimed, decision, None)).await
    }

    /// Works on all that is due until nothing is. Answers how many claims that took.
    pub async fn work_off(&self, flow: &Flow) -> usize {
        let session = self.session().await;
        let mut count = 0;
        loop {
            let claimed = self.claim(session, flow, 3).await;
            if claimed.is_empty() {
                return count;
            }
            for claimed in claimed {
                count += 1;
                match self.work(flow, &claimed).await {
                    Ok(_) => {}
                    Err(Refused::SignalTaken) => self.hand_back(&claimed, false).await,
                    Err(refused) => panic!("{refused:?} for {claimed:#?}"),
                }
            }
        }
    }

    pub async fn control(&self, id: &str, control: Control) -> Result<Committed, Refused> {
        let commit = self.control_of(id, control).await;
        self.commit(commit).await
    }

    /// A change of a whole run, decided on what is stored now.
    pub async fn control_of(&self, id: &str, control: Control) -> Commit {
        let record = self.record(id).await;
        let (state, open, event) = decide_control(&record.state, control).expect("a control that fits the state");
        Commit::Run(RunCommit { run: record.run, expected_version: record.version, state, open, events: vec![event] })
    }

    pub async fn pause(&self, id: &str) {
        self.control(id, Control::Pause { reason: Some("why".into()), by: Some("ops".into()) }).await.expect("paused");
    }

    pub async fn resume(&self, id: &str) -> Committed {
        self.control(id, Control::Resume { by: Some("ops".into()) }).await.expect("resumed")
    }

    pub async fn cancel(&self, id: &str) {
        self.control(id, Control::Cancel { reason: Some("why".into()), by: None }).await.expect("cancelled");
    }

    pub async fn signal(&self, id: &str, name: &str, text: &str) -> SignalReceipt {
        self.try_signal(new_signal(id, name, text, None)).await.expect("accepted")
    }

    pub async fn try_signal(&self, signal: NewSignal) -> Result<SignalReceipt, SignalRefusal> {
        let mut answers = self.store.signal(vec![signal]).await.expect("the store answers");
        assert_eq!(answers.len(), 1, "one answer for each message: {answers:?}");
        answers.remove(0)
    }
}

/// What can be seen.
impl Fixture {
    pub async fn record(&self, id: &str) -> RunRecord {
        self.store.run(id.into()).await.expect("the store answers").unwrap_or_else(|| panic!("no run \"{id}\""))
    }

    pub async fn state(&self, run: RunNo) -> RunState {
        self.store.states(vec![run]).await.expect("the store answers").remove(0).expect("a run of this number")
    }

    pub async fn result(&self, run: RunNo, path: &str) -> Option<Payload> {
        self.store.results(run, vec![path.into()]).await.expect("the store answers").remove(0)
    }

    pub async fn history(&self, run: RunNo) -> Vec<HistoryRecord> {
        self.store.history(run).await.expect("the store answers")
    }

    /// The history in words: the path and attempt of a result, or the kind of an event.
    pub async fn told(&self, run: RunNo) -> Vec<String> {
        let told = self.history(run).await.into_iter().map(|line| match line.entry {
            ResultRecord::Result { path, attempt } => format!("{path}#{attempt}"),
            ResultRecord::Event(event) => event.kind.as_str().to_owned(),
        });
        told.collect()
    }

    /// All that can be seen of the newest life of an id.
    pub async fn trace(&self, id: &str) -> Trace {
        let record = self.record(id).await;
        let history = self.history(record.run).await;
        let recorded = history.iter().filter_map(|line| match &line.entry {
            ResultRecord::Result { path, .. } => Some(path.clone()),
            ResultRecord::Event(_) => None,
        });
        let results = self.store.results(record.run, recorded.collect()).await.expect("the store answers");
        Trace { record, history, results }
    }
}

pub fn turn_of(claimed: &Claimed, decision: Decision, keep: Option<(SessionNo, usize)>) -> Commit {
    let Claimed { run, scope, fence, .. } = claimed.clone();
    Commit::Branch(BranchCommit { run, scope, fence, decision, keep })
}

pub fn new_signal(id: &str, name: &str, text: &str, key: Option<&str>) -> NewSignal {
    NewSignal { run_id: id.into(), name: name.into(), payload: json(text), key: key.map(str::to_owned) }
}

pub fn json(text: &str) -> Payload {
    Payload::json(text.to_owned())
}

/// The input of every run that is started here.
pub fn input_of(id: &str) -> Payload {
    json(&format!("\"input of {id}\""))
}

/// The output of every function that is run here.
pub fn output_of(claimed: &Claimed) -> Payload {
    json(&format!("\"output of {}\"", claimed.state.node))
}

/// What every function throws that fails here.
pub fn thrown() -> ThrownError {
    ThrownError {
        code: ErrorCode::StepFailed,
        message: "no stock".into(),
        cause: Some(json(r#"{"sku":1}"#)),
        retryable: true,
        retry_after_ms: None,
    }
}
