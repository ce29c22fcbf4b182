//! Values and states, many at once.

use super::run::state_of;
use crate::sqlite::db::Db;
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use pawl_core::{Path, Payload, RunNo, RunState};

pub fn results(db: &Db, run: RunNo, paths: &[Path]) -> Outcome<Vec<Option<Payload>>> {
    db.snapshot(|db| paths.iter().map(|path| lookups::result(db, run, path)).collect())
}

pub fn states(db: &Db, runs: &[RunNo]) -> Outcome<Vec<Option<RunState>>> {
    db.snapshot(|db| runs.iter().map(|run| state_of(db, *run)).collect())
}
