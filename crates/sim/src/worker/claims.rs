//! What a worker holds: getting it, making sure of it, letting it go.

use super::{Job, SLOT_COUNT, Stage, Worker};
use crate::line::answered;
use crate::planted::Planted;
use crate::rng::Rng;
use pawl_core::SessionNo;
use pawl_core::turn::Claimed;
use pawl_store::{ClaimAsk, ClaimCheck, ClaimFate, ClaimFilter, HandBack, Store};

impl Worker {
    pub(super) fn claim(&mut self, session: SessionNo, wish: usize) -> String {
        let limit = wish.min(SLOT_COUNT.saturating_sub(self.jobs.len()));
        if limit == 0 {
            return "has no free slot".into();
        }
        let filter = ClaimFilter::Flows(self.flows.keys().cloned().collect());
        match answered(self.line.claim(ClaimAsk { session, filter, limit })) {
            Ok(claims) => {
                let said = claims.claimed.iter().map(told).collect::<Vec<_>>().join(", ");
                for claimed in claims.claimed {
                    self.adopt(claimed);
                }
                format!("claimed [{said}]")
            }
            Err(error) => {
                self.in_doubt = true;
                format!("could not claim: {}", error.message)
            }
        }
    }

    fn adopt(&mut self, claimed: Claimed) {
        if self.planted == Some(Planted::DroppedClaim) && claimed.fence.0 % 3 == 1 {
            return;
        }
        self.jobs.push(Job::handed(claimed, None));
    }

    /// After a lost answer: what the session holds is right, whatever the worker believes.
    pub(super) fn ask_what_it_holds(&mut self, session: SessionNo) -> String {
        if self.planted == Some(Planted::UnaskedHolding) {
            self.in_doubt = false;
            return "does not ask what it holds".into();
        }
        match answered(self.line.held(session)) {
            Ok(held) => {
                self.in_doubt = false;
                self.jobs.retain(|job| held.iter().any(|claimed| is_same(claimed, &job.claimed)));
                let known: Vec<Claimed> = self.jobs.iter().map(|job| job.claimed.clone()).collect();
                let unknown = held.into_iter().filter(|held| !known.iter().any(|known| is_same(held, known)));
                let unknown: Vec<Claimed> = unknown.collect();
                let said = unknown.iter().map(told).collect::<Vec<_>>().join(", ");
                self.jobs.extend(unknown.into_iter().map(|claimed| Job::handed(claimed, None)));
                format!("found that it holds [{said}] too")
            }
            Err(error) => format!("could not ask what it holds: {}", error.message),
        }
    }

    pub(super) fn check_claims(&mut self, session: SessionNo, rng: &mut Rng) -> String {
        let claims = self.jobs.iter().map(|job| check(&job.claimed)).collect();
        let fates = match answered(self.line.check_claims(session, claims)) {
            Ok(fates) => fates,
            Err(error) => return format!("could not check its claims: {}", error.message),
        };
        let said = format!("checked its claims: {} are not its own as before", fates.len());
        for (claim, fate) in fates {
            match fate {
                ClaimFate::Lost { .. } => self.jobs.retain(|job| check(&job.claimed) != claim),
                ClaimFate::Held => self.abort(&claim, rng),
            }
        }
        said
    }

    /// The run is paused: a function that stops is given back, one that returns all the same keeps its result.
    fn abort(&mut self, claim: &ClaimCheck, rng: &mut Rng) {
        let Some(job) = self.jobs.iter_mut().find(|job| check(&job.claimed) == *claim) else { return };
        match job.stage {
            Stage::Handed(_) => job.stage = Stage::GivenUp { started: false },
            Stage::Running if rng.permille(500) => job.stage = Stage::GivenUp { started: true },
            Stage::Running | Stage::Decided(_) | Stage::GivenUp { .. } => {}
        }
    }

    pub(super) fn give_back(&mut self, mut job: Job, started: bool) -> String {
        let said = told(&job.claimed);
        let Claimed { run, scope, fence, .. } = job.claimed.clone();
        match answered(self.line.hand_back(vec![HandBack { run, scope, fence, started }])) {
            Ok(()) => format!("gave {said} back"),
            Err(error) => {
                job.stage = Stage::GivenUp { started };
                self.jobs.push(job);
                format!("could not give {said} back: {}", error.message)
            }
        }
    }
}

pub(super) fn told(claimed: &Claimed) -> String {
    format!("{}:{}#{} (fence {})", claimed.run, claimed.state.node, claimed.attempt, claimed.fence)
}

fn is_same(one: &Claimed, other: &Claimed) -> bool {
    check(one) == check(other)
}

fn check(claimed: &Claimed) -> ClaimCheck {
    ClaimCheck { run: claimed.run, scope: claimed.scope.clone(), fence: claimed.fence }
}
