//! Any flow, any order of outcomes: the run ends, and it ends once.

use crate::run::{Holder, Part, Table, definition, delay, fork, signal, step, thrown};
use pawl_core::flow::{Definition, NodeKind};
use pawl_core::turn::{Outcome, ThrownError, Work};
use pawl_core::{Millis, Payload, Phase, RunState, Scope};
use proptest::prelude::*;
use proptest::sample::Index;

/// The names of all messages, few enough that nodes compete for them.
const MESSAGES: [&str; 2] = ["red", "blue"];

/// Turns that any run of these flows needs at most, once everything goes well.
const TURNS_MAX: usize = 5_000;

fn leaf() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => (1_u32..4, 0_i64..50, prop::option::of(1_i64..40)).prop_map(|(attempts, backoff, timeout)| Shape::Step { attempts, backoff, timeout }),
        1 => (0_i64..60).prop_map(Shape::Delay),
        2 => (0..MESSAGES.len(), prop::option::of((0_i64..60, any::<bool>())))
            .prop_map(|(message, timeout)| Shape::Signal { message, timeout }),
    ]
}

/// A node without its name: names are given by place.
#[derive(Clone, Debug)]
enum Shape {
    Step { attempts: u32, backoff: i64, timeout: Option<i64> },
    Delay(i64),
    Signal { message: usize, timeout: Option<(i64, bool)> },
    Fork { chains: Vec<Vec<Shape>>, join: bool },
}

fn chain() -> impl Strategy<Value = Vec<Shape>> {
    let node = leaf().prop_recursive(4, 40, 3, |node| {
        let chains = prop::collection::vec(prop::collection::vec(node, 1..4), 1..4);
        (chains, any::<bool>()).prop_map(|(chains, join)| Shape::Fork { chains, join })
    });
    prop::collection::vec(node, 1..5)
}

fn flow() -> impl Strategy<Value = Definition> {
    (chain(), prop::option::weighted(0.2, 1_i64..300)).prop_map(|(chain, deadline_ms)| {
        let nodes = definition(parts(chain)).nodes;
        Definition { name: "random".into(), deadline_ms, nodes }
    })
}

fn parts(chain: Vec<Shape>) -> Vec<Part> {
    chain.into_iter().enumerate().map(|(at, shape)| part(at, shape)).collect()
}

fn part(at: usize, shape: Shape) -> Part {
    let name = format!("n{at}");
    match shape {
        Shape::Step { attempts, backoff, timeout } => {
            let step = step(&name).retry(attempts, backoff);
            timeout.map_or(step.clone(), |after_ms| step.timeout(after_ms))
        }
        Shape::Delay(for_ms) => delay(&name, for_ms),
        Shape::Signal { message, timeout } => {
            let node = signal(&name).awaiting(MESSAGES[message]);
            match timeout {
                None => node,
                Some((after_ms, false)) => node.timeout(after_ms),
                Some((after_ms, true)) => node.timeout(after_ms).or_go_on(),
            }
        }
        Shape::Fork { chains, join } => {
            let branches = chains.into_iter().enumerate().map(|(b, chain)| (format!("n{at}-{b}"), parts(chain)));
            let node = fork(&name, branches.collect::<Vec<_>>());
            if join { node.join() } else { node }
        }
    }
}

/// One thing that happens; the index picks to whom.
#[derive(Clone, Debug)]
enum Event {
    Claim(Index),
    Succeed(Index),
    Fail(Index, ThrownError),
    TimeOut(Index),
    HandBack(Index, bool),
    DeliverAgain(Index),
    CrashAll,
    Send(usize),
    Advance(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let error = (any::<bool>(), prop::option::weighted(0.3, -5_i64..90))
        .prop_map(|(retryable, retry_after_ms)| ThrownError { retryable, retry_after_ms, ..thrown("drawn") });
    prop_oneof![
        6 => any::<Index>().prop_map(Event::Claim),
        5 => any::<Index>().prop_map(Event::Succeed),
        1 => (any::<Index>(), error).prop_map(|(whom, error)| Event::Fail(whom, error)),
        1 => any::<Index>().prop_map(Event::TimeOut),
        1 => (any::<Index>(), any::<bool>()).prop_map(|(whom, started)| Event::HandBack(whom, started)),
        2 => any::<Index>().prop_map(Event::DeliverAgain),
        1 => Just(Event::CrashAll),
        2 => (0..MESSAGES.len()).prop_map(Event::Send),
        2 => (0_i64..40).prop_map(Event::Advance),
    ]
}

/// A run, the claims somebody holds and the ones that are history.
struct Case {
    table: Table,
    held: Vec<Holder>,
    old: Vec<Holder>,
    sent: usize,
}

impl Case {
    fn happen(&mut self, event: &Event) {
        match event {
            Event::Claim(whom) => {
                let due: Vec<Scope> =
                    self.table.open.keys().filter(|scope| self.table.is_due(scope)).cloned().collect();
                if !due.is_empty() {
                    self.held.push(self.table.claim(whom.get(&due)));
                }
            }
            Event::Succeed(whom) => self.with_held(whom, |case, claimed| case.succeed(claimed)),
            Event::Fail(whom, error) => {
                let error = error.clone();
                self.with_held(whom, |case, claimed| case.deliver(claimed, Outcome::Failed(error)));
            }
            Event::TimeOut(whom) => self.with_held(whom, |case, claimed| case.deliver(claimed, Outcome::TimedOut)),
            Event::HandBack(whom, started) => self.with_held(whom, |case, claimed| {
                if case.holds(claimed) {
                    case.table.hand_back(claimed, *started);
                }
            }),
            Event::DeliverAgain(whom) => {
                if !self.old.is_empty() {
                    let claimed = whom.get(&self.old).clone();
                    self.deliver_again(&claimed);
                }
            }
            Event::CrashAll => {
                self.table.crash();
                self.old.append(&mut self.held);
            }
            Event::Send(message) => self.send(*message),
            Event::Advance(duration_ms) => self.table.now = self.table.now.plus(*duration_ms),
        }
    }

    fn send(&mut self, message: usize) {
        self.table.send(MESSAGES[message], Payload::json(self.sent.to_string()));
        self.sent += 1;
    }

    fn with_held(&mut self, whom: &Index, act: impl FnOnce(&mut Case, &Holder)) {
        if !self.held.is_empty() {
            let claimed = self.held.remove(whom.index(self.held.len()));
            act(self, &claimed);
            self.old.push(claimed);
        }
    }

    /// Whether a claim is still the claim of an open branch (the run may have ended around it).
    fn holds(&self, claimed: &Holder) -> bool {
        self.table
            .open
            .get(&claimed.scope)
            .is_some_and(|_| self.table.look(&claimed.scope).fence == claimed.fence.next())
    }

    /// The claim comes to a good end, whatever it takes.
    fn succeed(&mut self, claimed: &Holder) {
        match self.table.ask(claimed) {
            Work::Run(_) | Work::Gather(_) => self.deliver(claimed, Outcome::Succeeded(Payload::json("\"ok\""))),
            Work::Settle(decision) => {
                if !self.table.commit(claimed, decision) && self.holds(claimed) {
                    self.table.hand_back(claimed, false); // the message was taken by another branch
                }
            }
            Work::Release => {
                if self.holds(claimed) {
                    self.table.hand_back(claimed, false);
                }
            }
        }
    }

    /// A function's outcome; what needs no function comes to its own end instead.
    fn deliver(&mut self, claimed: &Holder, outcome: Outcome) {
        match self.table.ask(claimed) {
            Work::Run(_) | Work::Gather(_) => {
                let (holds, decision) = (self.holds(claimed), self.table.decide(claimed, outcome));
                assert_eq!(self.table.commit(claimed, decision), holds);
            }
            Work::Settle(_) | Work::Release => self.succeed(claimed),
        }
    }

    fn deliver_again(&mut self, claimed: &Holder) {
        let decision = self.table.decide(claimed, Outcome::Succeeded(Payload::json("\"late\"")));
        assert!(!self.table.commit(claimed, decision), "a claim that is over was accepted: {claimed:?}");
    }

    /// From here on all goes well: everybody works, every message comes, time passes.
    fn finish(&mut self) {
        self.table.crash();
        self.old.append(&mut self.held);
        for _ in 0..TURNS_MAX {
            if self.table.state.is_terminal() {
                return;
            }
            if let Some(scope) = self.table.due() {
                let claimed = self.table.claim(&scope);
                self.succeed(&claimed);
                self.old.push(claimed);
            } else if let Some(message) = self.awaited() {
                self.send(message);
            } else {
                let next = self.table.next_due_at();
                self.table.now = next.expect("a run that is not over has something that will move it");
            }
            self.check();
        }
        panic!("the run does not end: {:?}", self.table.open);
    }

    fn awaited(&self) -> Option<usize> {
        let names = self.table.open.values().filter_map(|row| match &row.state.phase {
            Phase::Awaiting { signal, timeout_at: None } => Some(signal.clone()),
            _ => None,
        });
        names.into_iter().find_map(|name| MESSAGES.iter().position(|message| *message == &*name))
    }

    /// What holds at every moment of a run.
    fn check(&self) {
        let table = &self.table;
        if table.state.is_terminal() {
            assert!(table.open.is_empty(), "{:?} ended and left {:?}", table.state, table.open);
        } else {
            assert!(table.open.contains_key(&Scope::root()), "a live run has a branch on its main chain");
        }
        assert!(table.joined.values().all(|times| *times == 1), "{:?}", table.joined);
        for row in table.open.values() {
            assert!(!table.results.contains_key(&row.state.node) || row.state.node.is_run_input(), "{row:?} is done");
            if let Phase::Joining { missing } = row.state.phase {
                let node = table.flow.find(&row.state.node).expect("the node is in the flow");
                let NodeKind::Fork(fork) = &node.kind else { panic!("only forks are joined: {node:?}") };
                let walking = fork.branches.iter().filter(|branch| table.open.contains_key(&branch.scope));
                let arrived = fork
                    .branches
                    .iter()
                    .filter(|branch| table.results.contains_key(&table.flow.node(branch.last).path));
                assert_eq!(walking.count(), missing as usize, "{node:?}");
                assert_eq!(fork.branches.len() - arrived.count(), missing as usize, "{node:?}");
            }
        }
    }

    fn check_end(&self) {
        let (table, flow) = (&self.table, &self.table.flow);
        if let RunState::Completed { output } = &table.state {
            assert_eq!(table.results.len(), flow.nodes.len() + 1, "every node has its result, and the run its input");
            assert!(flow.find(output).is_some_and(|node| node.next.is_none() && node.fork.is_none()), "{output}");
            let forks = flow.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Fork(_)));
            assert_eq!(forks.count(), table.joined.len(), "every fork was joined");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_run_ends_whatever_happens_in_whatever_order(
        definition in flow(), events in prop::collection::vec(event(), 0..150),
    ) {
        let flow = definition.build().expect("drawn flows are sound");
        let mut case =
            Case { table: Table::start(flow, Payload::json("\"in\"")), held: Vec::new(), old: Vec::new(), sent: 0 };
        case.check();
        for event in &events {
            case.happen(event);
            case.check();
        }
        case.finish();
        case.check_end();
        for claimed in std::mem::take(&mut case.old) {
            case.deliver_again(&claimed);
        }
    }

    #[test]
    fn a_flow_read_back_from_its_json_decides_the_same(definition in flow()) {
        let text = serde_json::to_string(&definition).unwrap();
        let read: Definition = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &definition);
        let (one, other) = (definition.build().unwrap(), read.build().unwrap());
        prop_assert_eq!(&one.hash, &other.hash);
        prop_assert_eq!(pawl_core::turn::start(&one, Millis(7)), pawl_core::turn::start(&other, Millis(7)));
    }
}
