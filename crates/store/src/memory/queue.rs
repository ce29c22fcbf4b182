//! The line of branches that are or will be due: unclaimed, not held, earliest first. Every other branch is not in it,
//! so nobody who looks for work ever passes it.

use super::run::{Branch, Run};
use pawl_core::{FlowHash, Millis, RunNo, Scope};
use std::collections::{BTreeMap, HashMap};

/// A place in the line. Of two branches due at the same moment, the one that lined up first has the smaller ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    due_at: Millis,
    ticket: u64,
}

impl Place {
    /// Before everything that is due after this moment.
    fn end_of(now: Millis) -> Place {
        Place { due_at: now.plus(1), ticket: 0 }
    }

    const FIRST: Place = Place { due_at: Millis(i64::MIN), ticket: 0 };
    const LAST: Place = Place { due_at: Millis(i64::MAX), ticket: u64::MAX };
}

/// One line for each flow, and the same places once more for each run.
#[derive(Default)]
pub(super) struct Queue {
    by_flow: HashMap<FlowHash, BTreeMap<Place, (RunNo, Scope)>>,
    by_run: BTreeMap<(RunNo, Place), Scope>,
    tickets: u64,
}

impl Queue {
    /// Lines a branch up if it is free, not held and due some day. It must not be in the line.
    pub fn enter(&mut self, run: &mut Run, scope: &Scope) {
        let Run { number, flow, held, branches, .. } = run;
        let Some(branch) = branches.get_mut(scope) else { return };
        debug_assert!(branch.place.is_none(), "{scope} of run {number} lines up twice");
        let Some(due_at) = branch.due_at.filter(|_| branch.owner.is_none() && !*held) else { return };
        self.tickets += 1;
        let place = Place { due_at, ticket: self.tickets };
        branch.place = Some(place);
        self.by_run.insert((*number, place), scope.clone());
        match self.by_flow.get_mut(flow) {
            Some(line) => line.insert(place, (*number, scope.clone())),
            None => self.by_flow.entry(flow.clone()).or_default().insert(place, (*number, scope.clone())),
        };
    }

    /// Takes a branch out of the line, if it is in it.
    pub fn leave(&mut self, number: RunNo, flow: &FlowHash, branch: &mut Branch) {
        let Some(place) = branch.place.take() else { return };
        self.by_run.remove(&(number, place));
        if let Some(line) = self.by_flow.get_mut(flow) {
            line.remove(&place);
        }
    }

    /// Makes due now what is ready, whenever it became so.
    pub fn line_up_again(&mut self, run: &mut Run, now: Millis) {
        let late = run.branches.iter().filter(|(_, branch)| branch.is_ready() && branch.due_at > Some(now));
        for scope in late.map(|(scope, _)| scope.clone()).collect::<Vec<_>>() {
            if let Some(branch) = run.branches.get_mut(&scope) {
                self.leave(run.number, &run.flow, branch);
                branch.due_at = Some(now);
            }
            self.enter(run, &scope);
        }
    }

    /// The first branch of a flow that is due.
    pub fn due_of_flow(&self, flow: &FlowHash, now: Millis) -> Option<(RunNo, Scope)> {
        let (_, branch) = self.by_flow.get(flow)?.range(..Place::end_of(now)).next()?;
        Some(branch.clone())
    }

    /// The first branch of a run that is due.
    pub fn due_of_run(&self, run: RunNo, now: Millis) -> Option<(RunNo, Scope)> {
        let (_, scope) = self.by_run.range((run, Place::FIRST)..(run, Place::end_of(now))).next()?;
        Some((run, scope.clone()))
    }

    /// When the next branch of a flow becomes due that is not due yet.
    pub fn next_due_of_flow(&self, flow: &FlowHash, now: Millis) -> Option<Millis> {
        self.by_flow.get(flow)?.range(Place::end_of(now)..).next().map(|(place, _)| place.due_at)
    }

    /// When the next branch of a run becomes due that is not due yet.
    pub fn next_due_of_run(&self, run: RunNo, now: Millis) -> Option<Millis> {
        self.by_run.range((run, Place::end_of(now))..=(run, Place::LAST)).next().map(|((_, place), _)| place.due_at)
    }
}
