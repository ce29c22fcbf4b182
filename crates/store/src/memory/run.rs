//! A run and its open branches.

use super::queue::Place;
use crate::rules::{self, Tally, awaited_signal, wanted_input};
use crate::{HistoryRecord, ResultRecord};
use pawl_core::turn::Claimed;
use pawl_core::{
    BranchState, Fence, FlowHash, HistoryEvent, Millis, NewBranch, Path, Payload, Phase, RunId, RunNo, RunState, Scope,
    SessionNo,
};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

pub(super) struct Run {
    pub number: RunNo,
    pub id: RunId,
    pub flow: FlowHash,
    pub flow_name: Arc<str>,
    pub state: RunState,
    pub version: i64,
    /// Whether its branches are kept back.
    pub held: bool,
    pub created_at: Millis,
    pub ended_at: Option<Millis>,
    pub deadline_at: Option<Millis>,
    /// The open branches. Boxed, so that the map of a run with a single one stays small.
    pub branches: BTreeMap<Scope, Box<Branch>>,
    pub results: HashMap<Path, Payload>,
    pub history: Vec<Line>,
    pub mailbox: Mailbox,
}

pub(super) struct Branch {
    pub state: BranchState,
    pub fence: Fence,
    pub tally: Tally,
    pub owner: Option<SessionNo>,
    pub due_at: Option<Millis>,
    /// Its place in the line, while it is in it.
    pub place: Option<Place>,
    /// When the running attempt is too late.
    pub deadline_at: Option<Millis>,
    /// When the attempt that was lost with its worker was too late.
    pub lost_deadline_at: Option<Millis>,
}

/// A line of the history, small for the many results and boxed for the rest.
pub(super) struct Line {
    pub at: Millis,
    pub entry: Entry,
}

pub(super) enum Entry {
    Result { path: Path, attempt: u32 },
    Event(Box<HistoryEvent>),
}

/// The messages of a run: those to be read, and the keys of all there ever were.
#[derive(Default)]
pub(super) struct Mailbox {
    pub unread: HashMap<Arc<str>, VecDeque<Payload>>,
    pub keys: HashSet<(Arc<str>, String)>,
}

impl Mailbox {
    /// Whether a message of this name lies ready.
    pub fn holds(&self, name: &str) -> bool {
        !self.unread.is_empty() && self.unread.get(name).is_some_and(|messages| !messages.is_empty())
    }
}

impl Branch {
    /// A branch that begins. It is due nowhere yet; see [`Run::reckon`].
    pub fn new(state: BranchState) -> Branch {
        Branch {
            state,
            fence: Fence(0),
            tally: Tally::default(),
            owner: None,
            due_at: None,
            place: None,
            deadline_at: None,
            lost_deadline_at: None,
        }
    }

    /// Whether nobody holds it and nothing but a worker is missing for it to go on.
    pub fn is_ready(&self) -> bool {
        let ready = match self.state.phase {
            Phase::Ready => true,
            Phase::Awaiting { timeout_at, .. } => self.due_at != timeout_at,
            _ => false,
        };
        ready && self.owner.is_none()
    }

    /// Goes to another state, free of its owner, and due nowhere yet.
    pub fn move_to(&mut self, state: BranchState) {
        self.tally = self.tally.moved(&self.state, &state);
        self.state = state;
        self.due_at = None;
        self.free();
    }

    /// Nobody holds it any more; who believes to is refused from now on.
    pub fn free(&mut self) {
        self.owner = None;
        self.deadline_at = None;
        self.lost_deadline_at = None;
        self.fence = self.fence.next();
    }
}

impl Run {
    /// Adds a branch. Its scope must be free.
    pub fn open(&mut self, branch: NewBranch) {
        self.branches.insert(branch.scope, Box::new(Branch::new(branch.state)));
    }

    /// A branch as its owner sees it.
    pub fn claimed(&self, scope: &Scope) -> Option<Claimed> {
        let branch = self.branches.get(scope)?;
        Some(Claimed {
            run: self.number,
            run_id: self.id.clone(),
            flow: self.flow.clone(),
            scope: scope.clone(),
            state: branch.state.clone(),
            fence: branch.fence,
            attempt: branch.tally.attempt,
            crashes: branch.tally.crashes,
            deadline_at: branch.deadline_at,
            lost_deadline_at: branch.lost_deadline_at,
            run_deadline_at: self.deadline_at,
            signal_ready: awaited_signal(&branch.state.phase).is_some_and(|name| self.mailbox.holds(name)),
            input: wanted_input(&branch.state).and_then(|path| self.results.get(path).cloned()),
        })
    }

    /// Says anew when a free branch is due, by its phase and the messages that lie ready.
    pub fn reckon(&mut self, scope: &Scope, now: Millis) -> Option<Millis> {
        let branch = self.branches.get_mut(scope)?;
        let phase = &branch.state.phase;
        let message_ready = awaited_signal(phase).is_some_and(|name| self.mailbox.holds(name));
        branch.due_at = rules::due_at(phase, message_ready, now);
        branch.due_at
    }

    /// Lets a branch that is due wait until this moment.
    pub fn put_off(&mut self, scope: &Scope, not_before: Option<Millis>) {
        if let Some(branch) = self.branches.get_mut(scope) {
            branch.due_at = rules::put_off(branch.due_at, not_before);
        }
    }

    /// One branch has reached its end: how many the fork at this scope still misses.
    pub fn arrive(&mut self, at: &Scope) -> u32 {
        match self.branches.get_mut(at).map(|join| &mut join.state.phase) {
            Some(Phase::Joining { missing }) => {
                *missing = missing.saturating_sub(1);
                *missing
            }
            _ => 0,
        }
    }

    /// Records a result and the line that tells of it.
    pub fn record(&mut self, path: Path, value: Payload, attempt: u32, now: Millis) {
        self.results.insert(path.clone(), value);
        self.history.push(Line { at: now, entry: Entry::Result { path, attempt } });
    }

    /// Adds a line to the history.
    pub fn note(&mut self, event: HistoryEvent, now: Millis) {
        self.history.push(Line { at: now, entry: Entry::Event(Box::new(event)) });
    }
}

impl Line {
    pub fn record(&self) -> HistoryRecord {
        let entry = match &self.entry {
            Entry::Result { path, attempt } => ResultRecord::Result { path: path.clone(), attempt: *attempt },
            Entry::Event(event) => ResultRecord::Event(HistoryEvent::clone(event)),
        };
        HistoryRecord { at: self.at, entry }
    }
}
