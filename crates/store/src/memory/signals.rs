//! The mailbox of a run.

use super::run::{Branch, Mailbox, Run};
use super::world::World;
use crate::rules::awaited_signal;
use crate::{NewSignal, SignalReceipt, SignalRefusal};
use pawl_core::{Millis, Payload, Scope};
use std::sync::Arc;

impl World {
    pub fn signal(&mut self, signal: NewSignal, now: Millis) -> Result<SignalReceipt, SignalRefusal> {
        let number = self.runs.number_of(&signal.run_id).ok_or(SignalRefusal::RunNotFound)?;
        let run = self.runs.get_mut(number).ok_or(SignalRefusal::RunNotFound)?;
        // Before the state: whoever sends a message again after the run has ended learns that it had arrived.
        let name: Arc<str> = signal.name.into();
        let key = signal.key.map(|key| (name.clone(), key));
        if key.as_ref().is_some_and(|key| run.mailbox.keys.contains(key)) {
            return Ok(SignalReceipt::Duplicate);
        }
        if run.state.is_terminal() {
            return Err(SignalRefusal::RunEnded { state: run.state.clone() });
        }
        run.mailbox.keys.extend(key);
        run.mailbox.unread.entry(name.clone()).or_default().push_back(signal.payload);
        let Some(scope) = sleeper(run, &name, now) else { return Ok(SignalReceipt::Accepted { woke: false }) };
        let Run { flow, branches, .. } = &mut *run;
        if let Some(branch) = branches.get_mut(&scope) {
            self.queue.leave(number, flow, branch);
        }
        let woke = !run.held;
        self.line_up(number, &scope, now);
        Ok(SignalReceipt::Accepted { woke })
    }
}

/// A free branch that awaits this message and sleeps. One message wakes one branch; whoever is awake already, or is
/// claimed, looks into the mailbox when it is handed out next.
fn sleeper(run: &Run, name: &str, now: Millis) -> Option<Scope> {
    let (scope, _) = run.branches.iter().find(|(_, branch)| {
        awaited_signal(&branch.state.phase) == Some(name) && branch.owner.is_none() && sleeps(branch, now)
    })?;
    Some(scope.clone())
}

/// Whether nothing but its timeout would move it, and that not yet. Whoever was woken stays awake when the clock is set
/// back.
fn sleeps(branch: &Branch, now: Millis) -> bool {
    branch.due_at == branch.state.phase.due_at(now) && branch.due_at.is_none_or(|due_at| due_at > now)
}

impl Mailbox {
    /// The unread message after `before` others of this name.
    pub fn nth(&self, name: &str, before: usize) -> Option<&Payload> {
        self.unread.get(name)?.get(before)
    }

    /// Takes the oldest unread message out.
    pub fn read(&mut self, name: &str) {
        let Some(messages) = self.unread.get_mut(name) else { return };
        messages.pop_front();
        if messages.is_empty() {
            self.unread.remove(name);
        }
    }
}
