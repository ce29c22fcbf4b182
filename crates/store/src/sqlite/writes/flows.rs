//! Keeping definitions.

use crate::FlowRecord;
use crate::sqlite::fault::Outcome;
use crate::sqlite::tx::Tx;
use rusqlite::params;

/// Keeps definitions by their hash. What is the newest of its name already and says the same is not written again.
pub fn register_flows(tx: &Tx<'_>, flows: &[FlowRecord]) -> Outcome<()> {
    for flow in flows {
        tx.execute(
            "INSERT INTO pawl_flows (hash, name, definition, registered)
             SELECT ?1, ?2, ?3, 1 + coalesce((SELECT max(registered) FROM pawl_flows WHERE name = ?2), 0)
             WHERE NOT EXISTS (
                 SELECT 1 FROM pawl_flows WHERE hash = ?1 AND definition = ?3
                 AND registered = (SELECT max(registered) FROM pawl_flows WHERE name = ?2)
             )
             ON CONFLICT (hash) DO UPDATE SET definition = excluded.definition, registered = excluded.registered",
            params![flow.hash.as_str(), flow.name, flow.definition],
        )?;
    }
    Ok(())
}
