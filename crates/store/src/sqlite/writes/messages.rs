//! The mailbox of a run, as rows.

use crate::sqlite::db::Db;
use crate::sqlite::fault::Outcome;
use crate::sqlite::lookups;
use pawl_core::{Payload, RunNo};
use rusqlite::params;

/// An unread message.
pub struct Unread {
    number: i64,
    pub payload: Payload,
}

/// The unread message of this name after `before` older ones.
pub fn nth_unread(db: &Db, run: RunNo, name: &str, before: usize) -> Outcome<Option<Unread>> {
    db.first(
        "SELECT message_no, codec, bytes FROM pawl_messages WHERE run_no = ?1 AND name = ?2 AND read = 0
         ORDER BY message_no LIMIT 1 OFFSET ?3",
        params![run.0, name, before as i64],
        |row| Ok(Unread { number: row.get(0)?, payload: lookups::payload(row, 1)? }),
    )
}

/// Takes a message out. Its key stays, so that it is never accepted twice.
pub fn take(db: &Db, message: &Unread) -> Outcome<()> {
    let gone = db.execute("DELETE FROM pawl_messages WHERE message_no = ?1 AND key IS NULL", [message.number])?;
    if gone == 0 {
        db.execute("UPDATE pawl_messages SET read = 1, bytes = x'' WHERE message_no = ?1", [message.number])?;
    }
    Ok(())
}

/// Whether this run has seen a message of this name with this key.
pub fn knows_key(db: &Db, run: RunNo, name: &str, key: &str) -> Outcome<bool> {
    let found = db.first(
        "SELECT 1 FROM pawl_messages WHERE run_no = ?1 AND name = ?2 AND key = ?3",
        params![run.0, name, key],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}
