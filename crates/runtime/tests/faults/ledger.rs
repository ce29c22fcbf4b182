//! What has happened outside of the store, to be held against what it says in the end.

use pawl_core::flow::Flow;
use pawl_core::{HistoryKind, Path, Payload, RunId, RunNo, RunState};
use pawl_runtime::Attempt;
use pawl_store::{ResultRecord, RunRecord, Store};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

/// See the module.
#[derive(Default)]
pub struct Ledger(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    begun: HashSet<(RunNo, Path, u32)>,
    /// What functions got as input.
    inputs: Vec<(RunNo, Path, Payload)>,
    /// Which attempt a value comes from: every value is another one.
    values: Vec<(RunNo, Path)>,
    cancelled: HashSet<(usize, RunId)>,
    broken: Vec<String>,
}

impl Ledger {
    /// A function was called.
    pub fn began(&self, process: usize, attempt: &Attempt) {
        let mut pages = self.0.lock().unwrap();
        let Attempt { run, run_id, path, .. } = attempt;
        if !pages.begun.insert((*run, path.clone(), attempt.attempt)) {
            pages.broken.push(format!("attempt {} at {path} of {run_id:?} was begun twice", attempt.attempt));
        }
        if pages.cancelled.contains(&(process, run_id.clone())) {
            pages.broken.push(format!("{path} of {run_id:?} was begun after its cancel"));
        }
        pages.inputs.push((*run, path.clone(), attempt.input.clone()));
    }

    /// How often functions were called.
    pub fn begun_count(&self) -> usize {
        self.0.lock().unwrap().inputs.len()
    }

    /// What this attempt returns now.
    pub fn output(&self, attempt: &Attempt) -> Payload {
        let mut pages = self.0.lock().unwrap();
        pages.values.push((attempt.run, attempt.path.clone()));
        Payload::json(format!("{{\"value\":{}}}", pages.values.len() - 1))
    }

    /// A process was told that its cancel is stored.
    pub fn cancelled(&self, process: usize, id: &RunId) {
        self.0.lock().unwrap().cancelled.insert((process, id.clone()));
    }

    pub fn broke(&self, what: String) {
        self.0.lock().unwrap().broken.push(what);
    }

    pub fn broken(&self) -> Vec<String> {
        self.0.lock().unwrap().broken.clone()
    }

    /// Whether the run was cancelled and the client heard so.
    fn was_cancelled(&self, id: &RunId) -> bool {
        self.0.lock().unwrap().cancelled.iter().any(|(_, cancelled)| cancelled == id)
    }

    /// Holds a run that should be over against all of this.
    pub async fn audit(&self, store: &Arc<dyn Store>, flow: &Flow, record: &RunRecord) {
        let id = &record.id;
        if self.was_cancelled(id) && !matches!(record.state, RunState::Cancelled { .. }) {
            self.broke(format!("{id:?} was cancelled and is {:?}", record.state));
        }
        let history = store.history(record.run).await.expect("the store itself works");
        let mut count: HashMap<Path, usize> = HashMap::new();
        let mut ends = 0;
        for line in &history {
            match &line.entry {
                ResultRecord::Result { path, .. } => *count.entry(path.clone()).or_default() += 1,
                ResultRecord::Event(event) => {
                    let end = [HistoryKind::Completed, HistoryKind::Failed, HistoryKind::Cancelled];
                    ends += usize::from(end.contains(&event.kind));
                }
            }
        }
        if ends > 1 {
            self.broke(format!("{id:?} ended {ends} times"));
        }
        for (path, count) in count.iter().filter(|(_, count)| **count > 1) {
            self.broke(format!("{path} of {id:?} has {count} results"));
        }
        if matches!(record.state, RunState::Completed { .. }) {
            for node in flow.nodes.iter().filter(|node| !count.contains_key(&node.path)) {
                self.broke(format!("{id:?} completed without a result of {}", node.path));
            }
        }
        self.compare_values(store, record, count.into_keys().collect()).await;
    }

    /// What is recorded for a step came from that step, and whoever got it got the same.
    async fn compare_values(&self, store: &Arc<dyn Store>, record: &RunRecord, paths: Vec<Path>) {
        let results = store.results(record.run, paths.clone()).await.expect("the store itself works");
        let mut pages = self.0.lock().unwrap();
        let mut recorded: HashMap<Path, usize> = HashMap::new();
        let mut broken = Vec::new();
        for (path, payload) in paths.into_iter().zip(results) {
            let values = payload.as_ref().map(values_in).unwrap_or_default();
            if let [value] = values[..]
                && pages.values[value] == (record.run, path.clone())
            {
                recorded.insert(path, value);
            }
        }
        for (run, path, input) in pages.inputs.iter().filter(|(run, ..)| *run == record.run) {
            for value in values_in(input) {
                let (from_run, from) = &pages.values[value];
                if from_run != run || recorded.get(from) != Some(&value) {
                    broken.push(format!("{path} of {:?} got a value of {from} that is not recorded", record.id));
                }
            }
        }
        pages.broken.extend(broken);
    }
}

fn values_in(payload: &Payload) -> Vec<usize> {
    let text = std::str::from_utf8(&payload.bytes).expect("all values are JSON");
    let numbers = text.split("\"value\":").skip(1);
    numbers.map(|rest| rest.split('}').next().and_then(|number| number.parse().ok()).expect("a number")).collect()
}
