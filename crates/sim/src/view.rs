//! All that is stored, as it is at one moment.

use crate::flows::Flows;
use crate::line::answered;
use pawl_core::{Flow, Millis, Path, Payload, RunId, RunNo, Scope};
use pawl_store::{HistoryRecord, ListQuery, RunRecord, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Far more runs than a world has.
const RUN_COUNT_MAX: usize = 10_000;

/// Why reading cannot fail here.
const SOUND: &str = "the store itself has no faults, only the line to it";

/// Everything, by run.
pub struct View {
    pub now: Millis,
    pub runs: BTreeMap<RunNo, Arc<Seen>>,
}

/// One run.
pub struct Seen {
    pub record: RunRecord,
    pub flow: Arc<Flow>,
    pub results: BTreeMap<Path, Payload>,
    pub history: Vec<HistoryRecord>,
}

impl View {
    /// Before anything has happened.
    pub fn empty(now: Millis) -> View {
        View { now, runs: BTreeMap::new() }
    }

    /// Looks again, past the line, so that looking changes nothing. Of runs that were over it looks at the results only
    /// if `wholly`: most of a world's time would go into reading what never changes.
    pub fn again(&self, store: &dyn Store, flows: &Flows, wholly: bool) -> View {
        let query = ListQuery { limit: RUN_COUNT_MAX, ..ListQuery::default() };
        let records = answered(store.list(query)).expect(SOUND);
        let seen = |record: RunRecord| {
            let before = self.runs.get(&record.run).filter(|before| before.record == record && before.is_over());
            match before {
                Some(before) if !wholly => (record.run, before.clone()),
                _ => (record.run, Arc::new(Seen::of(record, store, flows))),
            }
        };
        View { now: store.clock().now(), runs: records.into_iter().map(seen).collect() }
    }

    /// The newest life of an id.
    pub fn newest(&self, id: &RunId) -> Option<&Seen> {
        self.runs.values().rev().find(|seen| seen.record.id == *id).map(Arc::as_ref)
    }
}

impl Seen {
    fn of(record: RunRecord, store: &dyn Store, flows: &Flows) -> Seen {
        let flow = flows[&record.flow].clone();
        let paths = std::iter::once(Path::run_input()).chain(flow.nodes.iter().map(|node| node.path.clone()));
        let paths: Vec<Path> = paths.collect();
        let values = answered(store.results(record.run, paths.clone())).expect(SOUND);
        let results = paths.into_iter().zip(values).filter_map(|(path, value)| Some((path, value?))).collect();
        let history = answered(store.history(record.run)).expect(SOUND);
        Seen { record, flow, results, history }
    }

    pub fn is_over(&self) -> bool {
        self.record.state.is_terminal()
    }

    pub fn stands_in(&self, scope: &Scope) -> bool {
        self.record.open.iter().any(|branch| branch.scope == *scope)
    }
}
