//! Turns: the guard, the results, the change, all or nothing.

use super::run::Run;
use super::world::World;
use crate::rules::{Handing, result_attempt};
use crate::{Committed, Refused};
use pawl_core::{
    BranchCommit, Change, Commit, Millis, OpenBranches, Path, Payload, Phase, ResultWrite, RunCommit, RunNo, RunState,
    Scope, Value,
};

impl World {
    pub fn commit(&mut self, commit: Commit, now: Millis) -> Result<Committed, Refused> {
        match commit {
            Commit::Branch(commit) => self.commit_branch(commit, now),
            Commit::Run(commit) => self.commit_run(commit, now),
        }
    }

    fn commit_branch(&mut self, commit: BranchCommit, now: Millis) -> Result<Committed, Refused> {
        let keep = self.living(commit.keep);
        let BranchCommit { run: number, scope, fence, decision, .. } = commit;
        let run = self.runs.get_mut(number).ok_or(Refused::StaleFence)?;
        let branch = run.branches.get(&scope).filter(|branch| branch.fence == fence).ok_or(Refused::StaleFence)?;
        let owner = branch.owner.ok_or(Refused::StaleFence)?;
        let values = values_of(run, &decision.results)?;
        if !fits(run, &decision.change) {
            return Err(Refused::StaleFence);
        }

        // From here on nothing is refused.
        self.sessions.let_go(owner, number, &scope);
        let (phase, tally) = (branch.state.phase.clone(), branch.tally);
        let mut written_here: Vec<Path> = Vec::new();
        for (ResultWrite { path, value }, payload) in decision.results.into_iter().zip(values) {
            let attempt = result_attempt(&value, &phase, tally);
            match value {
                Value::New(_) => written_here.push(path.clone()),
                Value::CopyOf(_) => {}
                Value::Signal(name) => run.mailbox.read(&name),
            }
            run.record(path, payload, attempt, now);
        }
        decision.events.into_iter().for_each(|event| run.note(event, now));

        let mut handing = Handing::new(keep, run.held, now);
        let ended = matches!(decision.change, Change::End(_));
        let mut kept = Vec::new();
        for scope in self.change(number, scope, decision.change, now) {
            kept.extend(self.hand_out(number, &scope, &mut handing, now));
        }
        for claimed in &mut kept {
            if claimed.state.input.as_ref().is_some_and(|path| written_here.contains(path)) {
                claimed.input = None;
            }
        }
        Ok(handing.committed(kept, ended))
    }

    /// Applies a change to the branches. Answers those that now stand somewhere else.
    fn change(&mut self, number: RunNo, scope: Scope, change: Change, now: Millis) -> Vec<Scope> {
        let Some(run) = self.runs.get_mut(number) else { return Vec::new() };
        let mut move_to = |scope: &Scope, state| {
            if let Some(branch) = run.branches.get_mut(scope) {
                branch.move_to(state);
            }
        };
        match change {
            Change::Move(state) => {
                move_to(&scope, state);
                vec![scope]
            }
            Change::Fork { joining, branches } => {
                move_to(&scope, joining);
                let begun = branches.iter().map(|branch| branch.scope.clone()).collect();
                branches.into_iter().for_each(|branch| run.open(branch));
                begun
            }
            Change::Arrive { at, last } => {
                run.branches.remove(&scope);
                match run.arrive(&at) {
                    0 => {
                        if let Some(join) = run.branches.get_mut(&at) {
                            join.move_to(last);
                        }
                        vec![at]
                    }
                    _ => Vec::new(),
                }
            }
            Change::End(state) => {
                self.set_state(number, state, OpenBranches::Remove, now);
                Vec::new()
            }
        }
    }

    fn commit_run(&mut self, commit: RunCommit, now: Millis) -> Result<Committed, Refused> {
        let RunCommit { run: number, expected_version, state, open, events } = commit;
        let run =
            self.runs.get_mut(number).filter(|run| run.version == expected_version).ok_or(Refused::VersionMoved)?;
        events.into_iter().for_each(|event| run.note(event, now));
        let ended = state.is_terminal();
        let mut handing = Handing::new(None, open != OpenBranches::Release, now);
        for due_at in self.set_state(number, state, open, now) {
            handing.owner_of(due_at);
        }
        Ok(handing.committed(Vec::new(), ended))
    }

    /// Writes the run's own row and what follows from it for its branches. Answers when those lined up again are due.
    pub fn set_state(
        &mut self,
        number: RunNo,
        state: RunState,
        open: OpenBranches,
        now: Millis,
    ) -> Vec<Option<Millis>> {
        let Some(run) = self.runs.get_mut(number) else { return Vec::new() };
        run.ended_at = state.is_terminal().then_some(now);
        run.state = state;
        run.version += 1;
        run.held = open == OpenBranches::Hold;
        let Run { flow, branches, .. } = &mut *run;
        branches.values_mut().for_each(|branch| self.queue.leave(number, flow, branch));
        match open {
            OpenBranches::Hold => Vec::new(),
            OpenBranches::Remove => {
                for (scope, branch) in std::mem::take(&mut run.branches) {
                    if let Some(owner) = branch.owner {
                        self.sessions.let_go(owner, number, &scope);
                    }
                }
                Vec::new()
            }
            OpenBranches::Release => {
                let free: Vec<Scope> = run
                    .branches
                    .iter()
                    .filter(|(_, branch)| branch.owner.is_none())
                    .map(|(scope, _)| scope.clone())
                    .collect();
                free.iter().for_each(|scope| self.queue.enter(run, scope));
                free.iter().map(|scope| run.branches[scope].due_at).collect()
            }
        }
    }
}

/// What is to be recorded, read but not taken.
fn values_of(run: &Run, results: &[ResultWrite]) -> Result<Vec<Payload>, Refused> {
    let mut values: Vec<Payload> = Vec::with_capacity(results.len());
    for (at, ResultWrite { path, value }) in results.iter().enumerate() {
        let before = &results[..at];
        if run.results.contains_key(path) || before.iter().any(|write| write.path == *path) {
            return Err(Refused::StaleFence);
        }
        values.push(match value {
            Value::New(payload) => payload.clone(),
            Value::CopyOf(path) => run.results.get(path).cloned().ok_or(Refused::StaleFence)?,
            Value::Signal(name) => {
                let read_before = before.iter().filter(|write| write.value == *value).count();
                run.mailbox.nth(name, read_before).cloned().ok_or(Refused::SignalTaken)?
            }
        });
    }
    Ok(values)
}

/// Whether the branches that a change is about are where it believes them to be.
fn fits(run: &Run, change: &Change) -> bool {
    match change {
        Change::Move(_) | Change::End(_) => true,
        Change::Fork { branches, .. } => branches.iter().all(|branch| !run.branches.contains_key(&branch.scope)),
        Change::Arrive { at, .. } => {
            run.branches.get(at).is_some_and(|join| matches!(join.state.phase, Phase::Joining { missing: 1.. }))
        }
    }
}
