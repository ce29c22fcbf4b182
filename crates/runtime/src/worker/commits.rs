//! Storing what was decided. What was decided in one lap is one call.

use super::calls::{Answered, Effect};
use super::dispatcher::Dispatcher;
use super::outage;
use super::turns::{Refusal, Turn};
use crate::event::WorkerEvent;
use crate::executor::AbortReason;
use pawl_core::{BranchCommit, Change, Commit, ErrorCode, Phase, RunState, SessionNo};
use pawl_store::{Committed, Refused, StoreError};
use std::time::Duration;
use tokio::time::Instant;

/// How many times in a row a worker keeps the successor of its own commit while other work waits. High enough that the
/// extra claims cost nothing, low enough that a flow of a thousand steps does not keep others from their first.
const STREAK_MAX: u32 = 64;

impl Dispatcher {
    /// Commits what was decided.
    pub fn begin_commit(&mut self) {
        let now = Instant::now();
        if self.turns.is_empty() || !self.may_commit() || !self.outage.may_ask(now) {
            return;
        }
        let mut together = Vec::with_capacity(self.turns.len());
        for turn in std::mem::take(&mut self.turns) {
            match turn.refusal {
                None => together.push(turn),
                Some(refusal) if refusal.ask_again_at <= now => self.commit(vec![turn]),
                Some(_) => self.turns.push(turn),
            }
        }
        if !together.is_empty() {
            self.commit(together);
        }
    }

    /// When a refused turn is asked again.
    pub fn refused_turn_at(&self) -> Option<Instant> {
        self.turns.iter().filter_map(|turn| turn.refusal).map(|refusal| refusal.ask_again_at).min()
    }

    fn commit(&mut self, turns: Vec<Turn>) {
        let mut spare = self.free_slots();
        let mut commits = Vec::with_capacity(turns.len());
        let mut reserved = 0;
        for turn in &turns {
            let keep = self.keep(turn, spare);
            let extra = keep.map_or(0, |(_, limit)| limit - 1);
            spare -= extra;
            reserved += extra;
            commits.push(Commit::Branch(BranchCommit {
                run: turn.run,
                scope: turn.scope.clone(),
                fence: turn.fence,
                decision: turn.decision.clone(),
                keep,
            }));
        }
        let answer = self.around.store.commit(commits);
        let session = self.session.no();
        self.calls.ask(Effect::Claims { reserved }, answer, move |answer| Answered::Committed(answer, turns, session));
    }

    /// What to keep of what this turn makes due: its own slot is free for one branch, spare ones take the rest of a fork.
    fn keep(&self, turn: &Turn, spare: usize) -> Option<(SessionNo, usize)> {
        let tired = turn.streak >= STREAK_MAX;
        if tired && self.others_wait(spare) || !self.takes_on() {
            return None;
        }
        let due_count = match &turn.decision.change {
            Change::End(_) => return None,
            Change::Move(_) | Change::Arrive { .. } => 1,
            Change::Fork { branches, .. } => {
                branches.iter().filter(|branch| !matches!(branch.state.phase, Phase::Joining { .. })).count()
            }
        };
        Some((self.session.no()?, due_count.clamp(1, 1 + spare)))
    }

    /// Whether work is due that this worker does not get to. A fork takes slots without a claim that could have told: then
    /// it is known from the signs that no free slot was left to follow.
    fn others_wait(&self, spare: usize) -> bool {
        self.backlog || (spare == 0 && self.member.due_at().is_some_and(|at| at <= self.now()))
    }

    pub fn commit_answered(
        &mut self,
        answer: Result<Vec<Result<Committed, Refused>>, StoreError>,
        turns: Vec<Turn>,
        session: Option<SessionNo>,
    ) {
        let answer = match answer {
            Err(error) if !error.passing && error.code != ErrorCode::Closed => return self.not_taken(turns, error),
            answer => self.heard(answer),
        };
        let Some(answers) = answer else {
            // Nothing of it was stored, or all of it and the answer got lost: the same turns are asked again, and the
            // fence tells which it was.
            self.doubt_arose();
            self.turns.extend(turns.into_iter().map(|turn| Turn { doubtful: true, ..turn }));
            return;
        };
        let mut shown = self.board.update();
        shown.last_commit_at = Some(self.around.clock.now());
        shown.turns_refused = self.turns.iter().any(|turn| turn.refusal.is_some());
        drop(shown);
        self.rest.changed();
        for (turn, answer) in turns.into_iter().zip(answers) {
            match answer {
                Ok(committed) => self.committed(turn, committed, session),
                Err(refused) => self.refused(turn, refused),
            }
        }
    }

    /// The store will not take these turns by waiting. One of them may be to blame, so each is asked by itself.
    fn not_taken(&mut self, turns: Vec<Turn>, error: StoreError) {
        let now = Instant::now();
        let alone = turns.len() == 1;
        for mut turn in turns {
            let count = turn.refusal.map_or(0, |refusal| refusal.count) + u32::from(alone);
            let wait = if alone { outage::wait_after(count) } else { Duration::ZERO };
            turn.refusal = Some(Refusal { count, ask_again_at: now + wait });
            if count == 1 {
                self.tell(WorkerEvent::StoreFailed { error: error.clone() });
            }
            self.turns.push(turn);
        }
        let mut shown = self.board.update();
        shown.turns_refused = true;
        shown.last_error = Some(error.into());
    }

    fn committed(&mut self, turn: Turn, committed: Committed, session: Option<SessionNo>) {
        self.slots.remove(turn.slot);
        let hub = self.around.hub.clone();
        if committed.ended {
            if let Change::End(RunState::Failed(_)) = &turn.decision.change {
                hub.run_stopped(turn.run, AbortReason::RunEnded);
            }
            hub.run_ended(turn.run);
        }
        if committed.let_go {
            hub.due(&turn.flow, turn.run, self.now());
        }
        if let Some(at) = committed.next_due_at {
            hub.due(&turn.flow, turn.run, at);
        }
        if committed.kept.is_empty() {
            hub.run_moved(turn.run);
        }
        for claimed in committed.kept {
            self.admit_under(session, claimed, &turn.decision.results, turn.streak + 1);
        }
    }

    fn refused(&mut self, turn: Turn, refused: Refused) {
        let Some(slot) = self.slots.remove(turn.slot) else { return };
        match refused {
            Refused::StaleFence if turn.doubtful => {
                // Stored the first time, perhaps: then whoever waits for the run or for work of it must look now.
                self.around.hub.run_ended(turn.run);
                self.around.hub.due(&turn.flow, turn.run, self.now());
            }
            Refused::StaleFence => {}
            Refused::SignalTaken | Refused::VersionMoved => self.hand_back_unstarted(&slot.claimed),
        }
    }
}
