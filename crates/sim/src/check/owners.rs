use super::{Checker, ensure};
use crate::fact::Fact;
use crate::view::View;
use pawl_core::{Fence, Millis, RunNo, Scope, SessionNo};
use std::collections::HashMap;

#[derive(Default)]
pub struct OneOwner {
    /// Until when each session was promised to live.
    alive: HashMap<SessionNo, Millis>,
    /// Who was given which branch last, and did not give it back.
    holders: HashMap<(RunNo, Scope), (SessionNo, Fence)>,
    fences: HashMap<(RunNo, Scope), Fence>,
}

impl Checker for OneOwner {
    fn promise(&self) -> &'static str {
        "an attempt has one living owner, and only its owner commits it"
    }

    fn look(&mut self, facts: &[Fact], _: &View, after: &View) -> Result<(), String> {
        for fact in facts {
            match fact {
                Fact::SessionLives { session, until } => drop(self.alive.insert(*session, *until)),
                Fact::SessionClosed { session } => drop(self.alive.remove(session)),
                Fact::Granted { session, claimed } => {
                    let branch = (claimed.run, claimed.scope.clone());
                    self.granted(*session, branch, claimed.fence, after.now)?;
                }
                Fact::HandedBack { run, scope, fence } => {
                    let branch = (*run, scope.clone());
                    if self.holders.get(&branch).is_some_and(|(_, held)| held == fence) {
                        self.holders.remove(&branch);
                    }
                }
                Fact::Committed(commit) => {
                    let branch = (commit.run, commit.scope.clone());
                    let holder = self.holders.remove(&branch);
                    ensure(holder.is_some_and(|(_, fence)| fence == commit.fence), || {
                        format!("{branch:?} was committed with fence {}, its holder was {holder:?}", commit.fence)
                    })?;
                }
                _ => {}
            }
        }
        self.holders.retain(|(run, _), _| after.runs.get(run).is_some_and(|seen| !seen.is_over()));
        Ok(())
    }
}

impl OneOwner {
    fn granted(&mut self, session: SessionNo, branch: (RunNo, Scope), fence: Fence, now: Millis) -> Result<(), String> {
        if let Some((holder, _)) = self.holders.get(&branch) {
            let lives = self.alive.get(holder).is_some_and(|until| *until > now);
            ensure(!lives, || format!("{branch:?} was given to session {session} while {holder} holds it and lives"))?;
        }
        let last = self.fences.insert(branch.clone(), fence);
        ensure(last.is_none_or(|last| last < fence), || {
            format!("the fence of {branch:?} went from {last:?} to {fence}")
        })?;
        self.holders.insert(branch, (session, fence));
        Ok(())
    }
}
