use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::{Seen, View};
use pawl_core::{BranchCommit, Payload, Phase, RunNo, RunState, Value};
use std::collections::{HashMap, HashSet, VecDeque};

#[derive(Default)]
pub struct MessagesAreKept {
    unread: HashMap<(RunNo, String), VecDeque<Payload>>,
    keys: HashSet<(RunNo, String)>,
}

impl Checker for MessagesAreKept {
    fn promise(&self) -> &'static str {
        "an accepted message is read once, in its order, by a node that awaits it"
    }

    fn look(&mut self, facts: &[Fact], before: &View, after: &View) -> Result<(), String> {
        for fact in facts {
            match fact {
                Fact::Signalled { id, name, key, payload } => {
                    let Some(seen) = before.newest(id) else {
                        return Err(format!("{id} got a message and is unknown"));
                    };
                    let run = seen.record.run;
                    self.unread.entry((run, name.clone())).or_default().push_back(payload.clone());
                    if let Some(key) = key {
                        let is_new = self.keys.insert((run, key.clone()));
                        ensure(is_new, || format!("run {run} accepted the message {key} twice"))?;
                    }
                }
                Fact::Duplicate { id, key } => {
                    let key = before.newest(id).and_then(|seen| Some((seen.record.run, key.clone()?)));
                    let known = key.as_ref().is_some_and(|key| self.keys.contains(key));
                    ensure(known, || format!("{key:?} was called a duplicate and is new"))?;
                }
                Fact::Committed(commit) => self.read(commit, after)?,
                _ => {}
            }
        }
        for seen in after.runs.values().filter(|seen| seen.record.state == RunState::Running) {
            self.wakes(seen, after)?;
        }
        Ok(())
    }
}

impl MessagesAreKept {
    fn read(&mut self, commit: &BranchCommit, after: &View) -> Result<(), String> {
        for write in &commit.decision.results {
            let Value::Signal(name) = &write.value else { continue };
            let next = self.unread.get_mut(&(commit.run, name.to_string())).and_then(VecDeque::pop_front);
            let recorded = after.runs.get(&commit.run).and_then(|seen| seen.results.get(&write.path));
            ensure(next.is_some() && next.as_ref() == recorded, || {
                format!("{} of run {} read {recorded:?}; the oldest was {next:?}", write.path, commit.run)
            })?;
        }
        Ok(())
    }

    /// As many branches that await a message are awake as there are messages for them.
    fn wakes(&self, seen: &Seen, after: &View) -> Result<(), String> {
        let mut awaiting: HashMap<&str, (usize, usize)> = HashMap::new();
        for branch in &seen.record.open {
            if let Phase::Awaiting { signal, .. } = &branch.state.phase {
                let (all, awake) = awaiting.entry(signal).or_default();
                *all += 1;
                *awake += usize::from(branch.claimed || branch.due_at.is_some_and(|at| at <= after.now));
            }
        }
        for (name, (all, awake)) in awaiting {
            let run = seen.record.run;
            let unread = self.unread.get(&(run, name.to_owned())).map_or(0, VecDeque::len);
            ensure(awake >= unread.min(all), || {
                format!(
                    "run {run} has {unread} unread messages {name:?}, and {awake} of {all} who await them are awake"
                )
            })?;
        }
        Ok(())
    }
}
