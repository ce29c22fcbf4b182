//! The threads that answer questions, each on a connection of its own that cannot write.

use super::db::Db;
use super::fault::Outcome;
use super::lane::{Lane, Parcel};
use super::panic::caught;
use crate::Answer;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;
use tokio::sync::oneshot;

type Question = dyn FnOnce(&Db, &Path) + Send;

/// A thread that answers questions.
pub(super) struct Reader(Lane<Question>);

impl Reader {
    pub fn spawn(name: &str, db: Db, file: Arc<Path>) -> std::io::Result<Reader> {
        let (lane, inbox) = Lane::new();
        thread::Builder::new().name(name.into()).spawn(move || answer_all(&inbox, db, &file))?;
        Ok(Reader(lane))
    }

    pub fn ask<T: Send + 'static>(&self, question: impl FnOnce(&Db) -> Outcome<T> + Send + 'static) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        let work = move |db: &Db, file: &Path| {
            let answer = match caught(|| question(db)) {
                Ok(outcome) => outcome.map_err(|fault| fault.told(file)),
                Err(error) => Err(error),
            };
            db.roll_back();
            if reply.send(answer).is_err() {
                tracing::trace!("nobody waits for this answer any more");
            }
        };
        self.0.send(Box::new(work), answer)
    }

    pub fn close(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.close()
    }
}

fn answer_all(inbox: &Receiver<Parcel<Question>>, db: Db, file: &Path) {
    while let Ok(parcel) = inbox.recv() {
        match parcel {
            Parcel::Work(question, permit) => {
                drop(permit);
                question(&db, file);
            }
            Parcel::Close(closed) => {
                drop(db);
                drop(closed);
                return;
            }
        }
    }
}
