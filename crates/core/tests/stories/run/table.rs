//! The rows of one run, with the rules of a store: fences, claims, results written once, a counter per join.

use pawl_core::turn::{self, Claimed, InputSource, Outcome, Work, apply, next_work};
use pawl_core::{
    BranchState, Change, Decision, Fence, Flow, HistoryEvent, Millis, NewBranch, Path, Payload, Phase, ResultWrite,
    RunId, RunNo, RunState, Scope, Value,
};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// A branch as stored.
#[derive(Clone, Debug)]
pub struct Row {
    pub state: BranchState,
    fence: Fence,
    attempt: u32,
    crashes: u32,
    deadline_at: Option<Millis>,
    lost_deadline_at: Option<Millis>,
    held: bool,
}

/// Somebody's claim: the branch as it was handed out.
pub type Holder = Claimed;

/// All that is stored about one run.
#[derive(Clone, Debug)]
pub struct Table {
    pub flow: Arc<Flow>,
    pub now: Millis,
    pub state: RunState,
    pub open: BTreeMap<Scope, Row>,
    pub results: HashMap<Path, Payload>,
    pub history: Vec<HistoryEvent>,
    /// How often each fork became ready after its last branch.
    pub joined: HashMap<Path, u32>,
    mailbox: HashMap<Arc<str>, VecDeque<Payload>>,
}

impl Table {
    pub fn start(flow: Flow, input: Payload) -> Table {
        let now = Millis(0);
        let mut table = Table {
            now,
            state: RunState::Running,
            open: BTreeMap::new(),
            results: HashMap::from([(Path::run_input(), input)]),
            history: Vec::new(),
            joined: HashMap::new(),
            mailbox: HashMap::new(),
            flow: Arc::new(flow),
        };
        let branches = turn::start(&table.flow, now);
        assert_eq!(branches, turn::start(&table.flow, now), "a start is a function of flow and time");
        table.insert(branches);
        table
    }

    /// Whether a claim of this branch would be granted now.
    pub fn is_due(&self, scope: &Scope) -> bool {
        let row = &self.open[scope];
        let due = row.state.phase.due_at(self.now).is_some_and(|at| at <= self.now);
        !row.held && (due || self.signal_ready(&row.state))
    }

    /// The first branch that is due.
    pub fn due(&self) -> Option<Scope> {
        self.open.keys().find(|scope| self.is_due(scope)).cloned()
    }

    /// When the next branch that is not due becomes due.
    pub fn next_due_at(&self) -> Option<Millis> {
        let later = self.open.values().filter(|row| !row.held).filter_map(|row| row.state.phase.due_at(self.now));
        later.filter(|at| *at > self.now).min()
    }

    /// What a claim of this branch would be handed, without claiming it.
    pub fn look(&self, scope: &Scope) -> Holder {
        let row = &self.open[scope];
        let runs = matches!(row.state.phase, Phase::Ready | Phase::Backoff { .. });
        Claimed {
            run: RunNo(1),
            run_id: RunId::from("story-1"),
            flow: self.flow.hash.clone(),
            scope: scope.clone(),
            state: row.state.clone(),
            fence: row.fence.next(),
            attempt: row.attempt + 1,
            crashes: row.crashes,
            deadline_at: row.state.timeout_ms.map(|timeout_ms| self.now.plus(timeout_ms)),
            lost_deadline_at: row.lost_deadline_at,
            run_deadline_at: self.flow.deadline_ms.map(Millis),
            signal_ready: self.signal_ready(&row.state),
            input: row.state.input.as_ref().filter(|_| runs).and_then(|path| self.results.get(path)).cloned(),
        }
    }

    pub fn claim(&mut self, scope: &Scope) -> Holder {
        assert!(self.is_due(scope), "{scope:?} is not due: {:?}", self.open[scope]);
        let claimed = self.look(scope);
        let row = self.row(scope);
        (row.fence, row.attempt, row.held) = (claimed.fence, claimed.attempt, true);
        (row.deadline_at, row.lost_deadline_at) = (claimed.deadline_at, None);
        claimed
    }

    /// What the claim asks for, asked twice.
    pub fn ask(&self, claimed: &Holder) -> Work {
        let work = next_work(&self.flow, claimed, self.now);
        assert_eq!(work, next_work(&self.flow, claimed, self.now), "the same question, another answer");
        if let Work::Run(plan) = &work {
            self.assert_recorded(&plan.input);
        }
        work
    }

    /// What the outcome changes, asked twice.
    pub fn decide(&self, claimed: &Holder, outcome: Outcome) -> Decision {
        let decision = apply(&self.flow, claimed, outcome.clone(), self.now);
        assert_eq!(decision, apply(&self.flow, claimed, outcome, self.now), "the same outcome, another decision");
        decision
    }

    /// Gives the claim back; `started` as in a store's hand-back.
    pub fn hand_back(&mut self, claimed: &Holder, started: bool) {
        let row = self.row(&claimed.scope);
        assert_eq!(row.fence, claimed.fence);
        (row.held, row.deadline_at, row.fence) = (false, None, row.fence.next());
        if !started {
            row.attempt -= 1;
        }
    }

    /// Every worker dies: claims are free again, and an attempt among them counts as a crash.
    pub fn crash(&mut self) {
        for row in self.open.values_mut().filter(|row| row.held) {
            (row.held, row.crashes, row.fence) = (false, row.crashes + 1, row.fence.next());
            row.lost_deadline_at = row.deadline_at.take();
        }
    }

    pub fn send(&mut self, name: &str, payload: Payload) {
        self.mailbox.entry(name.into()).or_default().push_back(payload);
    }

    /// Whether the commit was accepted: it is refused when the claim is not held any more, or its message is gone.
    #[must_use]
    pub fn commit(&mut self, claimed: &Holder, decision: Decision) -> bool {
        if self.open.get(&claimed.scope).is_none_or(|row| row.fence != claimed.fence) {
            return false;
        }
        let taken = |write: &ResultWrite| match &write.value {
            Value::Signal(name) => self.mailbox.get(name).is_none_or(VecDeque::is_empty),
            Value::New(_) | Value::CopyOf(_) => false,
        };
        if decision.results.iter().any(taken) {
            return false;
        }
        decision.results.into_iter().for_each(|write| self.record(write));
        self.history.extend(decision.events);
        self.change(&claimed.scope, decision.change);
        true
    }

    fn record(&mut self, ResultWrite { path, value }: ResultWrite) {
        let payload = match value {
            Value::New(payload) => payload,
            Value::CopyOf(source) => self.results.get(&source).expect("only a recorded result is copied").clone(),
            Value::Signal(name) => {
                self.mailbox.get_mut(&name).and_then(VecDeque::pop_front).expect("checked by the caller")
            }
        };
        let before = self.results.insert(path.clone(), payload);
        assert_eq!(before, None, "the result at {path} was recorded twice");
    }

    fn change(&mut self, scope: &Scope, change: Change) {
        match change {
            Change::Move(state) => self.move_to(scope, state),
            Change::Fork { joining, branches } => {
                assert!(matches!(joining.phase, Phase::Joining { .. }), "{joining:?}");
                self.move_to(scope, joining);
                self.insert(branches);
            }
            Change::Arrive { at, last } => {
                self.open.remove(scope).expect("the branch that arrives is open");
                self.arrive(&at, last);
            }
            Change::End(state) => {
                assert!(state.is_terminal(), "{state:?}");
                self.open.clear();
                self.state = state;
            }
        }
    }

    fn move_to(&mut self, scope: &Scope, state: BranchState) {
        let row = self.row(scope);
        if row.state.node != state.node {
            (row.attempt, row.crashes) = (0, 0);
        }
        (row.state, row.held, row.deadline_at, row.fence) = (state, false, None, row.fence.next());
    }

    fn arrive(&mut self, at: &Scope, last: BranchState) {
        let waiting = self.row(at);
        assert_eq!(waiting.state.node, last.node, "a branch arrives at the fork it came from");
        let Phase::Joining { missing } = &mut waiting.state.phase else {
            panic!("a branch arrived at {at:?}, which waits for nobody: {waiting:?}");
        };
        *missing = missing.checked_sub(1).expect("no more branches arrive than have begun");
        if *missing == 0 {
            *self.joined.entry(last.node.clone()).or_default() += 1;
            self.move_to(at, last);
        }
    }

    fn insert(&mut self, branches: Vec<NewBranch>) {
        for NewBranch { scope, state } in branches {
            let row = Row {
                state,
                fence: Fence(0),
                attempt: 0,
                crashes: 0,
                deadline_at: None,
                lost_deadline_at: None,
                held: false,
            };
            let before = self.open.insert(scope.clone(), row);
            assert!(before.is_none(), "two branches in the scope {scope:?}");
        }
    }

    fn assert_recorded(&self, input: &InputSource) {
        let paths: Vec<&Path> = match input {
            InputSource::Result(path) => vec![path],
            InputSource::Branches(outputs) => outputs.iter().map(|(_, path)| path).collect(),
        };
        for path in paths {
            assert!(self.results.contains_key(path), "an attempt starts before its input {path:?} is recorded");
        }
    }

    fn signal_ready(&self, state: &BranchState) -> bool {
        match &state.phase {
            Phase::Awaiting { signal, .. } => self.mailbox.get(signal).is_some_and(|unread| !unread.is_empty()),
            _ => false,
        }
    }

    fn row(&mut self, scope: &Scope) -> &mut Row {
        self.open.get_mut(scope).unwrap_or_else(|| panic!("no open branch in scope {scope:?}"))
    }
}
