//! Where a branch comes to stand: the decision and its row.

use crate::rules::{self, Handing, Tally, wanted_input};
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use crate::sqlite::rows::{BranchRow, PhaseColumns};
use crate::sqlite::tx::{RunFacts, Tx};
use pawl_core::turn::Claimed;
use pawl_core::{BranchState, Fence, Millis, Path, Payload, RunNo, Scope, SessionNo};
use rusqlite::params;

const INSERT: &str = "INSERT INTO pawl_branches (run_no, scope, flow_no, node, phase, phase_at, signal, missing, input, \
    failures, timeout_ms, attempt, crashes, fence, owner, deadline_at, due_at, held) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) \
    ON CONFLICT (run_no, scope) DO NOTHING";

/// It names neither `owner` nor `due_at` (of no meaning while there is an owner), so SQLite leaves the indexes alone: the
/// move of a branch that stays with its worker writes one page, not three.
pub const MOVE: &str = "UPDATE pawl_branches SET node = ?3, phase = ?4, phase_at = ?5, signal = ?6, missing = ?7, \
    input = ?8, failures = ?9, timeout_ms = ?10, attempt = ?11, crashes = ?12, fence = ?13, deadline_at = ?14, \
    lost_deadline_at = NULL WHERE run_no = ?1 AND scope = ?2";

/// What comes on top when the branch does not stay with its worker.
const HAND_OVER: &str = "UPDATE pawl_branches SET owner = ?3, due_at = ?4 WHERE run_no = ?1 AND scope = ?2";

/// Where a branch comes to stand, and whose it is there.
pub struct Seat {
    pub state: BranchState,
    pub tally: Tally,
    pub fence: Fence,
    pub owner: Option<SessionNo>,
    pub deadline_at: Option<Millis>,
    pub due_at: Option<Millis>,
    message_ready: bool,
}

impl Seat {
    /// Decides when a branch in this state is due and whose it is. `fence` and `tally` are those of the free branch.
    pub fn find(
        tx: &Tx<'_>,
        run: RunNo,
        state: BranchState,
        tally: Tally,
        fence: Fence,
        handing: &mut Handing,
    ) -> Outcome<Seat> {
        let message_ready = lookups::message_ready_for(tx, run, &state.phase)?;
        let due_at = rules::due_at(&state.phase, message_ready, tx.now);
        let free = Seat { state, tally, fence, owner: None, deadline_at: None, due_at, message_ready };
        Ok(match handing.owner_of(due_at) {
            None => free,
            owner => Seat {
                owner,
                fence: fence.next(),
                tally: tally.claimed(),
                deadline_at: free.state.timeout_ms.map(|timeout_ms| tx.now.plus(timeout_ms)),
                ..free
            },
        })
    }

    /// Writes a branch that begins. `false`: there is one in this scope already.
    pub fn insert(&self, tx: &Tx<'_>, run: RunNo, scope: &Scope, flow_no: i64, held: i64) -> Outcome<bool> {
        let phase = PhaseColumns::from(&self.state.phase);
        let written = tx.execute(
            INSERT,
            params![
                run.0,
                scope.as_str(),
                flow_no,
                self.state.node.as_str(),
                phase.number,
                phase.at,
                phase.signal,
                phase.missing,
                self.state.input.as_ref().map(Path::as_str),
                self.state.failures,
                self.state.timeout_ms,
                self.tally.attempt,
                self.tally.crashes,
                self.fence.0,
                self.owner.map(|owner| owner.0),
                self.deadline_at.map(|at| at.0),
                self.due_at.map(|at| at.0),
                held,
            ],
        )?;
        Ok(written == 1)
    }

    /// Moves a stored branch here.
    pub fn update(&self, tx: &Tx<'_>, from: &BranchRow) -> Outcome<()> {
        let phase = PhaseColumns::from(&self.state.phase);
        tx.execute(
            MOVE,
            params![
                from.run.0,
                from.scope.as_str(),
                self.state.node.as_str(),
                phase.number,
                phase.at,
                phase.signal,
                phase.missing,
                self.state.input.as_ref().map(Path::as_str),
                self.state.failures,
                self.state.timeout_ms,
                self.tally.attempt,
                self.tally.crashes,
                self.fence.0,
                self.deadline_at.map(|at| at.0),
            ],
        )?;
        if self.owner.is_none() || self.owner != from.owner {
            let (owner, due_at) = (self.owner.map(|owner| owner.0), self.due_at.map(|at| at.0));
            tx.execute(HAND_OVER, params![from.run.0, from.scope.as_str(), owner, due_at])?;
        }
        Ok(())
    }

    /// The claim that goes with this seat, if it has an owner. `fetch` gives its input.
    pub fn claim(
        self,
        run: RunNo,
        scope: &Scope,
        facts: &RunFacts,
        fetch: impl FnOnce(&Path) -> Outcome<Option<Payload>>,
    ) -> Outcome<Option<Claimed>> {
        if self.owner.is_none() {
            return Ok(None);
        }
        let input = wanted_input(&self.state).map(fetch).transpose()?.flatten();
        Ok(Some(Claimed {
            run,
            run_id: facts.id.clone(),
            flow: facts.flow.clone(),
            scope: scope.clone(),
            state: self.state,
            fence: self.fence,
            attempt: self.tally.attempt,
            crashes: self.tally.crashes,
            deadline_at: self.deadline_at,
            lost_deadline_at: None,
            run_deadline_at: facts.deadline_at,
            signal_ready: self.message_ready,
            input,
        }))
    }
}
