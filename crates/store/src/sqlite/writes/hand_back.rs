//! Claims that come back without an outcome.

use super::branches::{self, Loss};
use crate::HandBack;
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use crate::sqlite::tx::Tx;

/// Frees what is still held as the caller believes; the rest is passed over.
pub fn hand_back(tx: &Tx<'_>, claims: &[HandBack]) -> Outcome<()> {
    for claim in claims {
        let row = match lookups::branch(tx, claim.run, &claim.scope) {
            Ok(row) => row,
            Err(fault) if fault.is_damage() => {
                branches::put_aside(tx, claim.run, claim.scope.as_str(), &fault)?;
                continue;
            }
            Err(fault) => return Err(fault),
        };
        if let Some(row) = row.filter(|row| row.fence == claim.fence && row.owner.is_some()) {
            branches::free(tx, &row, row.tally.handed_back(claim.started), &Loss::default())?;
        }
    }
    Ok(())
}
