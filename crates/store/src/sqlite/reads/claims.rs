//! What a session holds, and what became of what it believes to hold.

use super::run::state_of;
use crate::sqlite::db::Db;
use crate::sqlite::fault::{Fault, Outcome};
use crate::sqlite::lookups;
use crate::sqlite::rows::{FREE, text};
use crate::sqlite::tx::RunFacts;
use crate::{ClaimCheck, ClaimFate};
use pawl_core::turn::Claimed;
use pawl_core::{FlowHash, Millis, RunId, RunNo, Scope, SessionNo};
use rusqlite::params;

pub fn check_claims(db: &Db, session: SessionNo, claims: &[ClaimCheck]) -> Outcome<Vec<(ClaimCheck, ClaimFate)>> {
    db.snapshot(|db| {
        let mut fates = Vec::new();
        for claim in claims {
            fates.extend(fate(db, session, claim)?.map(|fate| (claim.clone(), fate)));
        }
        Ok(fates)
    })
}

fn fate(db: &Db, session: SessionNo, claim: &ClaimCheck) -> Outcome<Option<ClaimFate>> {
    let held = db.first(
        "SELECT held FROM pawl_branches WHERE run_no = ?1 AND scope = ?2 AND fence = ?3 AND +owner = ?4",
        params![claim.run.0, claim.scope.as_str(), claim.fence.0, session.0],
        |row| Ok(row.get::<_, i64>(0)?),
    )?;
    Ok(match held {
        Some(FREE) => None,
        Some(_) => Some(ClaimFate::Held),
        None => Some(ClaimFate::Lost { run: state_of(db, claim.run)? }),
    })
}

/// All that a session holds, by run and scope. A damaged branch is not among it: it is put aside when it is handed back.
pub fn held(db: &Db, session: SessionNo) -> Outcome<Vec<Claimed>> {
    db.snapshot(|db| {
        let keys = db.all(
            "SELECT run_no, scope FROM pawl_branches WHERE owner = ?1 ORDER BY run_no, scope",
            [session.0],
            |row| Ok((RunNo(row.get(0)?), Scope(text(row, 1)?))),
        )?;
        let mut all = Vec::with_capacity(keys.len());
        for (run, scope) in keys {
            match held_branch(db, run, &scope) {
                Ok(branch) => all.extend(branch),
                Err(fault) if fault.is_damage() => tracing::error!(%run, %scope, ?fault, "a held branch is damaged"),
                Err(fault) => return Err(fault),
            }
        }
        Ok(all)
    })
}

fn held_branch(db: &Db, run: RunNo, scope: &Scope) -> Outcome<Option<Claimed>> {
    let row = lookups::branch(db, run, scope)?;
    row.map(|row| lookups::claimed(db, row, &facts(db, run)?)).transpose()
}

fn facts(db: &Db, run: RunNo) -> Outcome<RunFacts> {
    db.first(
        "SELECT id, (SELECT hash FROM pawl_flows WHERE pawl_flows.flow_no = pawl_runs.flow_no), deadline_at
         FROM pawl_runs WHERE run_no = ?1",
        [run.0],
        |row| {
            let deadline_at = row.get::<_, Option<i64>>(2)?.map(Millis);
            Ok(RunFacts { id: RunId(text(row, 0)?), flow: FlowHash(text(row, 1)?), deadline_at })
        },
    )?
    .ok_or_else(|| Fault::Damaged(format!("run number {run} is missing")))
}
