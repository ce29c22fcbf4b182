//! What a story can tell about a run, and what it can expect of it.

use super::flow::{Part, definition};
use super::table::{Holder, Table};
use pawl_core::turn::{Outcome, ThrownError, Work};
use pawl_core::{Flow, Millis, Payload, Phase, RunState, Scope};
use std::collections::BTreeMap;

/// A run and the workers that hold a part of it. Whatever needs no function is done at once.
pub struct Run {
    pub table: Table,
    held: BTreeMap<Scope, Holder>,
}

impl Run {
    /// A run of a chain that starts at the moment 0 with the input `"in"`.
    pub fn of(chain: impl IntoIterator<Item = Part>) -> Run {
        Run::of_flow(definition(chain).build().expect("the story's flow is sound"))
    }

    pub fn of_flow(flow: Flow) -> Run {
        let mut run = Run { table: Table::start(flow, Payload::json("\"in\"")), held: BTreeMap::new() };
        run.settle();
        run
    }

    /// A worker starts the function at `path`.
    #[track_caller]
    pub fn begin(&mut self, path: &str) {
        let scope = self.scope_of(path);
        let claimed = self.table.claim(&scope);
        let work = self.table.ask(&claimed);
        assert!(matches!(&work, Work::Run(plan) if plan.path.as_str() == path), "{path} is not to be run: {work:?}");
        self.held.insert(scope, claimed);
    }

    /// The function at `path` returns its own path as text.
    #[track_caller]
    pub fn succeed(&mut self, path: &str) {
        self.outcome(path, Outcome::Succeeded(Payload::json(format!("{path:?}"))));
    }

    /// The function at `path` throws.
    #[track_caller]
    pub fn fail(&mut self, path: &str, thrown: ThrownError) {
        self.outcome(path, Outcome::Failed(thrown));
    }

    /// The deadline of the attempt at `path` passes.
    #[track_caller]
    pub fn time_out(&mut self, path: &str) {
        self.outcome(path, Outcome::TimedOut);
    }

    pub fn signal(&mut self, name: &str, payload: &str) {
        self.table.send(name, Payload::json(payload.to_owned()));
        self.settle();
    }

    pub fn advance(&mut self, duration_ms: i64) {
        self.table.now = self.table.now.plus(duration_ms);
        self.settle();
    }

    /// All workers die with what they hold; others look at what is stored.
    pub fn crash_and_recover(&mut self) {
        self.table.crash();
        self.held.clear();
        self.settle();
    }

    /// What the run wants now, in the order of scopes.
    #[track_caller]
    pub fn expect<const N: usize>(&self, wishes: [&str; N]) {
        assert_eq!(self.wishes(), wishes, "at {} ms", self.table.now);
    }

    /// How the run ended.
    #[track_caller]
    pub fn expect_end(&self, end: &str) {
        let seen = match &self.table.state {
            RunState::Completed { output } => format!("completed {output}"),
            RunState::Failed(failure) => {
                let at = failure.path.as_ref().map_or(String::new(), |path| format!(" at {path}#{}", failure.attempt));
                format!("failed {}{at}: {}", failure.code.as_str(), failure.message)
            }
            other => format!("{} and wants {:?}", other.as_str(), self.wishes()),
        };
        assert_eq!(seen, end);
        assert!(self.table.open.is_empty(), "a run that is over has no open branches");
    }

    /// The recorded result at a path.
    #[track_caller]
    pub fn result(&self, path: &str) -> &str {
        let payload = self.table.results.get(&path.into()).unwrap_or_else(|| panic!("no result at {path:?}"));
        std::str::from_utf8(&payload.bytes).expect("results are JSON text")
    }

    /// The input that an attempt at `path` would get now.
    #[track_caller]
    pub fn input(&self, path: &str) -> String {
        let input = self.table.look(&self.scope_of(path)).input.expect("the branch has an input of its own");
        String::from_utf8(input.bytes.to_vec()).expect("results are JSON text")
    }

    fn wishes(&self) -> Vec<String> {
        self.table.open.keys().filter_map(|scope| self.wish(scope)).collect()
    }

    fn wish(&self, scope: &Scope) -> Option<String> {
        if let Some(claimed) = self.held.get(scope) {
            return Some(format!("running {}#{}", claimed.state.node, claimed.attempt));
        }
        let claimed = self.table.look(scope);
        let (node, attempt) = (&claimed.state.node, claimed.attempt);
        Some(match &claimed.state.phase {
            Phase::Ready => format!("run {node}#{attempt}"),
            Phase::Backoff { retry_at } if *retry_at <= self.table.now => format!("run {node}#{attempt}"),
            Phase::Backoff { retry_at } => format!("retry {node}#{attempt} at {retry_at}"),
            Phase::Sleeping { wake_at } => format!("sleep {node} until {wake_at}"),
            Phase::Awaiting { signal, timeout_at: None } => format!("await {signal} at {node}"),
            Phase::Awaiting { signal, timeout_at: Some(at) } => format!("await {signal} at {node} until {at}"),
            Phase::Joining { missing } => format!("join {node} missing {missing}"),
            Phase::Deadline { at: Millis(at) } => format!("deadline {at}"),
        })
    }

    #[track_caller]
    fn outcome(&mut self, path: &str, outcome: Outcome) {
        let scope = self.scope_of(path);
        if !self.held.contains_key(&scope) {
            self.begin(path);
        }
        let claimed = self.held.remove(&scope).expect("begun above");
        let decision = self.table.decide(&claimed, outcome);
        assert!(self.table.commit(&claimed, decision), "the commit of {path} was refused");
        self.settle();
    }

    #[track_caller]
    fn scope_of(&self, path: &str) -> Scope {
        match self.table.open.iter().find(|(_, row)| row.state.node.as_str() == path) {
            Some((scope, _)) => scope.clone(),
            None => panic!("no branch stands on {path:?}; the run wants {:?}", self.wishes()),
        }
    }

    /// Does all that is due and needs no function.
    fn settle(&mut self) {
        let mut untouched: Vec<Scope> = self.table.open.keys().cloned().collect();
        while let Some(scope) = untouched.pop() {
            if !self.table.open.contains_key(&scope) || !self.table.is_due(&scope) {
                continue;
            }
            let decision = match self.table.ask(&self.table.look(&scope)) {
                Work::Run(_) => continue,
                Work::Release => panic!("{scope:?} is due and wants nothing"),
                Work::Settle(decision) => decision,
                Work::Gather(outputs) => {
                    let parts = outputs.iter().map(|(name, path)| (name.as_ref(), &self.table.results[path]));
                    let gathered = Payload::object(parts);
                    self.table.decide(&self.table.look(&scope), Outcome::Succeeded(gathered))
                }
            };
            let claimed = self.table.claim(&scope);
            assert!(self.table.commit(&claimed, decision), "nobody else works on this run");
            untouched = self.table.open.keys().cloned().collect();
        }
    }
}
