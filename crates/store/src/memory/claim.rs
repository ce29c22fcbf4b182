//! Handing out, giving back, and what became of it.

use super::run::Run;
use super::world::World;
use crate::rules::Handing;
use crate::{ClaimAsk, ClaimCheck, ClaimFate, ClaimFilter, Claims, HandBack};
use pawl_core::turn::Claimed;
use pawl_core::{FlowHash, Millis, RunNo, Scope, SessionNo};

impl World {
    pub fn claim(&mut self, ask: &ClaimAsk, now: Millis) -> Claims {
        let mut claimed = Vec::new();
        // Who is gone gets nothing: nobody would ever take it back.
        while claimed.len() < ask.limit && self.sessions.lives(ask.session) {
            let next = match &ask.filter {
                ClaimFilter::Flows(flows) => self.next_in_turn(ask.session, flows, now),
                ClaimFilter::Run(run) => self.queue.due_of_run(*run, now),
            };
            let Some((number, scope)) = next else { break };
            claimed.extend(self.grant(number, &scope, ask.session, now));
        }
        let next_due_at = match &ask.filter {
            ClaimFilter::Flows(flows) => flows.iter().filter_map(|flow| self.queue.next_due_of_flow(flow, now)).min(),
            ClaimFilter::Run(run) => self.queue.next_due_of_run(*run, now),
        };
        Claims { claimed, next_due_at }
    }

    /// The first due branch of the flow whose turn it is; flows without due work lose their turn.
    fn next_in_turn(&mut self, session: SessionNo, flows: &[FlowHash], now: Millis) -> Option<(RunNo, Scope)> {
        let turn = self.sessions.turn(session)?;
        for at in 0..flows.len() {
            let at = turn.wrapping_add(at) % flows.len();
            if let Some(next) = self.queue.due_of_flow(&flows[at], now) {
                *turn = at + 1;
                return Some(next);
            }
        }
        None
    }

    /// Gives a branch to a session.
    fn grant(&mut self, number: RunNo, scope: &Scope, session: SessionNo, now: Millis) -> Option<Claimed> {
        let run = self.runs.get_mut(number)?;
        let branch = run.branches.get_mut(scope)?;
        self.queue.leave(number, &run.flow, branch);
        self.sessions.hold(session, number, scope);
        branch.owner = Some(session);
        branch.fence = branch.fence.next();
        branch.tally = branch.tally.claimed();
        branch.deadline_at = branch.state.timeout_ms.map(|timeout_ms| now.plus(timeout_ms));
        run.claimed(scope)
    }

    /// Reckons when a branch that was just changed is due, and gives it to the session that keeps it or lines it up.
    pub fn hand_out(&mut self, number: RunNo, scope: &Scope, handing: &mut Handing, now: Millis) -> Option<Claimed> {
        let run = self.runs.get_mut(number)?;
        match handing.owner_of(run.reckon(scope, now)) {
            Some(session) => self.grant(number, scope, session, now),
            None => {
                self.queue.enter(run, scope);
                None
            }
        }
    }

    /// What a commit may keep: nothing for a session that is gone.
    pub fn living(&self, keep: Option<(SessionNo, usize)>) -> Option<(SessionNo, usize)> {
        keep.filter(|(session, _)| self.sessions.lives(*session))
    }

    pub fn hand_back(&mut self, claim: &HandBack, now: Millis) {
        let Some(run) = self.runs.get_mut(claim.run) else { return };
        let Some(branch) = run.branches.get_mut(&claim.scope) else { return };
        let Some(owner) = branch.owner.filter(|_| branch.fence == claim.fence) else { return };
        branch.tally = branch.tally.handed_back(claim.started);
        branch.free();
        self.sessions.let_go(owner, claim.run, &claim.scope);
        self.line_up(claim.run, &claim.scope, now);
    }

    /// Lines a branch up that was just freed.
    pub fn line_up(&mut self, number: RunNo, scope: &Scope, now: Millis) {
        if let Some(run) = self.runs.get_mut(number) {
            run.reckon(scope, now);
            self.queue.enter(run, scope);
        }
    }

    pub fn check_claims(&self, session: SessionNo, claims: Vec<ClaimCheck>) -> Vec<(ClaimCheck, ClaimFate)> {
        let fate = |claim: &ClaimCheck| fate(self.runs.get(claim.run), session, claim);
        claims.into_iter().filter_map(|claim| fate(&claim).map(|fate| (claim, fate))).collect()
    }
}

fn fate(run: Option<&Run>, session: SessionNo, claim: &ClaimCheck) -> Option<ClaimFate> {
    let Some(run) = run else { return Some(ClaimFate::Lost { run: None }) };
    let is_theirs = run
        .branches
        .get(&claim.scope)
        .is_some_and(|branch| branch.fence == claim.fence && branch.owner == Some(session));
    match (is_theirs, run.held) {
        (false, _) => Some(ClaimFate::Lost { run: Some(run.state.clone()) }),
        (true, true) => Some(ClaimFate::Held),
        (true, false) => None,
    }
}
