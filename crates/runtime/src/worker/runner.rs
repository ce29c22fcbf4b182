//! The rule by which a runner stops by itself. A runner is a worker for one run; only this sets it apart.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use super::launch::Job;
use pawl_core::run::OpenView;
use pawl_core::{Millis, Phase, RunId, RunState};
use pawl_store::{ClaimFilter, RunRecord, StoreError};
use tokio::time::Instant;

/// Whether and when a worker comes to rest by itself.
pub(super) enum Rest {
    /// Never: it waits for work.
    Never,
    /// When nothing is left to do for this run.
    WhenIdle { run: RunId, looked: bool },
    /// Now.
    Over,
}

impl Rest {
    pub fn new(job: &Job) -> Rest {
        match &job.runs_only {
            Some(run) => Rest::WhenIdle { run: run.clone(), looked: false },
            None => Rest::Never,
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self, Rest::Over)
    }

    /// Something happened after the last look.
    pub fn changed(&mut self) {
        if let Rest::WhenIdle { looked, .. } = self {
            *looked = false;
        }
    }
}

impl Dispatcher {
    /// Looks at the run when there is nothing to do for it.
    pub fn begin_look(&mut self) {
        let idle = self.is_idle();
        let Rest::WhenIdle { run, looked } = &mut self.rest else { return };
        if !idle || *looked || self.calls.look || !self.outage.may_ask(Instant::now()) {
            return;
        }
        *looked = true;
        self.calls.look = true;
        let answer = self.around.store.run(run.clone());
        self.calls.ask(Effect::None, answer, |answer| Answered::Looked(Box::new(answer)));
    }

    fn is_idle(&self) -> bool {
        self.slots.is_empty()
            && self.turns.is_empty()
            && self.hand_backs.is_empty()
            && self.old_sessions.is_empty()
            && self.session.no().is_some()
            && !self.calls.changing()
            && self.member.due_at().is_none_or(|at| at > self.now())
    }

    pub fn look_answered(&mut self, answer: Result<Option<RunRecord>, StoreError>) {
        self.calls.look = false;
        let Some(record) = self.heard(answer) else {
            return self.rest.changed();
        };
        let looked = matches!(self.rest, Rest::WhenIdle { looked: true, .. });
        if !looked || !self.is_idle() {
            // Something happened while this was on its way, and may have begun work: what was seen is the past.
            return self.rest.changed();
        }
        let now = self.now();
        // If a new life has the id, the one that is driven here is over.
        let driven = record.filter(|record| self.filter == ClaimFilter::Run(record.run));
        match driven.map_or(Next::Rest, |record| next(&record, now)) {
            Next::Rest => self.rest = Rest::Over,
            Next::At(at) => self.member.due(at),
            // Whoever lets go of the run says so: here through the hub, elsewhere by the commit that is noticed.
            Next::Others => {}
        }
    }
}

/// What a runner does about a run for which it is doing nothing.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// Comes to rest: the run is over, paused or parked.
    Rest,
    /// Waits for others, who are working on it: it is not where it will come to rest.
    Others,
    /// Asks for work at this moment.
    At(Millis),
}

fn next(record: &RunRecord, now: Millis) -> Next {
    if record.state != RunState::Running {
        return Next::Rest;
    }
    let work_at = |branch: &OpenView| match branch.state.phase {
        _ if branch.claimed => None,
        // Back-offs are waited for in this process; whatever else is not due yet parks.
        Phase::Backoff { retry_at } => Some(retry_at.max(now)),
        _ => branch.due_at.filter(|at| *at <= now),
    };
    match record.open.iter().filter_map(work_at).min() {
        Some(at) => Next::At(at),
        None if record.open.iter().any(|branch| branch.claimed) => Next::Others,
        None => Next::Rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::{BranchState, RunNo, Scope};

    const NOW: Millis = Millis(1_000);

    fn branch(phase: Phase) -> OpenView {
        let due_at = phase.due_at(NOW);
        let state = BranchState { node: "n".into(), phase, input: None, failures: 0, timeout_ms: None };
        OpenView { scope: Scope::root(), state, claimed: false, worker: None, attempt: 0, due_at }
    }

    fn record(open: Vec<OpenView>) -> RunRecord {
        RunRecord {
            run: RunNo(1),
            id: "r".into(),
            flow: "f".into(),
            flow_name: "f".into(),
            state: RunState::Running,
            version: 1,
            created_at: NOW,
            ended_at: None,
            deadline_at: None,
            open,
        }
    }

    #[test]
    fn a_back_off_is_waited_for_but_a_delay_is_not() {
        let sleeping = branch(Phase::Sleeping { wake_at: Millis(1_500) });
        let backoff = branch(Phase::Backoff { retry_at: Millis(3_000) });
        assert_eq!(next(&record(vec![sleeping.clone()]), NOW), Next::Rest);
        assert_eq!(next(&record(vec![sleeping, backoff]), NOW), Next::At(Millis(3_000)));
    }

    #[test]
    fn work_that_others_hold_is_left_to_them_and_waited_for() {
        let held = OpenView { claimed: true, ..branch(Phase::Ready) };
        assert_eq!(next(&record(vec![held.clone()]), NOW), Next::Others);
        assert_eq!(next(&record(vec![held, branch(Phase::Ready)]), NOW), Next::At(NOW));
    }

    #[test]
    fn a_delay_that_is_over_is_work() {
        assert_eq!(next(&record(vec![branch(Phase::Sleeping { wake_at: NOW })]), NOW), Next::At(NOW));
    }

    #[test]
    fn a_run_that_is_over_or_paused_is_left_alone() {
        let paused = RunState::Paused { reason: None, by: None };
        let record = RunRecord { state: paused, ..record(vec![branch(Phase::Ready)]) };
        assert_eq!(next(&record, NOW), Next::Rest);
    }
}
