//! Looking up definitions.

use crate::sqlite::db::Db;
use crate::sqlite::fault::Outcome;
use crate::sqlite::rows::text;
use crate::{FlowLookup, FlowRecord};
use pawl_core::FlowHash;
use rusqlite::Row;

pub fn find_flow(db: &Db, lookup: &FlowLookup) -> Outcome<Option<FlowRecord>> {
    match lookup {
        FlowLookup::Hash(hash) => {
            db.first("SELECT hash, name, definition FROM pawl_flows WHERE hash = ?1", [hash.as_str()], record)
        }
        FlowLookup::Name(name) => db.first(
            "SELECT hash, name, definition FROM pawl_flows WHERE name = ?1 ORDER BY registered DESC LIMIT 1",
            [name],
            record,
        ),
    }
}

fn record(row: &Row<'_>) -> Outcome<FlowRecord> {
    Ok(FlowRecord { hash: FlowHash(text(row, 0)?), name: row.get(1)?, definition: row.get(2)? })
}
