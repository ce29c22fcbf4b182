//! The one thread that writes. What waits together goes into one transaction: a thousand steps may share one sync of the
//! disk.

use super::db::Db;
use super::fault::{Fault, Outcome};
use super::identity::Identity;
use super::lane::{Closed, Lane, Parcel};
use super::panic::caught;
use super::tx::{Memory, Tx};
use super::upkeep::Upkeep;
use super::writes;
use crate::rules::was_set_back;
use crate::{Answer, Clock, StoreError};
use pawl_core::{ErrorCode, Millis};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::thread;
use tokio::sync::oneshot;

/// How many requests share a transaction at most: beyond some hundred rows a bigger one is only slower to answer.
const GROUP_COUNT_MAX: usize = 256;

/// The sending end of the writing thread.
pub(super) struct Writer(Lane<dyn Request>);

/// A request that is done in a transaction together with others. It may be done more than once, after a rollback.
pub(super) trait Request: Send {
    fn attempt(&mut self, tx: &Tx<'_>) -> Outcome<()>;
    /// Once, at the end: what was attempted last is stored, or nothing is.
    fn answer(self: Box<Self>, stored: Result<(), StoreError>);
}

struct Asked<T, F> {
    act: F,
    done: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: Fn(&Tx<'_>) -> Outcome<T> + Send> Request for Asked<T, F> {
    fn attempt(&mut self, tx: &Tx<'_>) -> Outcome<()> {
        self.done = Some((self.act)(tx)?);
        Ok(())
    }

    fn answer(self: Box<Self>, stored: Result<(), StoreError>) {
        let Asked { done, reply, .. } = *self;
        let answer = stored.and_then(|()| done.ok_or_else(not_attempted));
        if reply.send(answer).is_err() {
            tracing::trace!("nobody waits for this answer any more");
        }
    }
}

fn not_attempted() -> StoreError {
    let message = "A request was answered without being done. This is a fault in pawl; please report it".into();
    StoreError { code: ErrorCode::Internal, message, passing: false }
}

impl Writer {
    pub fn spawn(db: Db, file: Arc<Path>, clock: Arc<dyn Clock>, upkeep: Upkeep) -> std::io::Result<Writer> {
        let (lane, inbox) = Lane::new();
        let identity = Identity::of(file.clone());
        let desk = Desk { db, file, identity, clock, last: None, memory: Memory::default() };
        thread::Builder::new().name("pawl-sqlite".into()).spawn(move || desk.serve(&inbox, upkeep))?;
        Ok(Writer(lane))
    }

    /// Does this in the next transaction. `act` must be repeatable: it runs again if the transaction is rolled back
    /// because of a neighbour.
    pub fn ask<T: Send + 'static>(&self, act: impl Fn(&Tx<'_>) -> Outcome<T> + Send + 'static) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        self.0.send(Box::new(Asked { act, done: None, reply }), answer)
    }

    pub fn close(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.close()
    }
}

type Group = Vec<Box<dyn Request>>;

/// Where the thread works.
struct Desk {
    db: Db,
    file: Arc<Path>,
    identity: Identity,
    clock: Arc<dyn Clock>,
    /// When the last transaction was.
    last: Option<Millis>,
    memory: Memory,
}

/// At which point a transaction came to nothing.
enum Failed {
    /// One of its requests could not be done: the others deserve another chance without it.
    Request(StoreError),
    /// The transaction as a whole could not begin or not be made durable.
    Whole(StoreError),
}

impl Desk {
    fn serve(mut self, inbox: &Receiver<Parcel<dyn Request>>, mut upkeep: Upkeep) {
        loop {
            match inbox.recv_timeout(upkeep.look_again_after()) {
                Ok(Parcel::Work(first, permit)) => {
                    drop(permit);
                    let (group, then) = gather(first, inbox);
                    self.write(group);
                    if let Some(closed) = then {
                        return self.leave(closed);
                    }
                    upkeep.between_groups(&self.db);
                }
                Ok(Parcel::Close(closed)) => return self.leave(closed),
                Err(RecvTimeoutError::Timeout) => upkeep.when_idle(&self.db),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn leave(self, closed: Closed) {
        drop(self.db);
        drop(closed);
    }

    fn write(&mut self, mut group: Group) {
        match self.transact(&mut group) {
            Ok(()) => group.into_iter().for_each(|request| request.answer(Ok(()))),
            Err(Failed::Request(_)) if group.len() > 1 => self.write_one_by_one(group),
            Err(Failed::Request(error) | Failed::Whole(error)) => {
                group.into_iter().for_each(|request| request.answer(Err(error.clone())));
            }
        }
    }

    /// Each in a transaction of its own, so that the one that cannot be done harms nobody else.
    fn write_one_by_one(&mut self, group: Group) {
        let mut group = group.into_iter();
        while let Some(request) = group.next() {
            let mut alone = vec![request];
            let failed = self.transact(&mut alone);
            let stored = match &failed {
                Ok(()) => Ok(()),
                Err(Failed::Request(error) | Failed::Whole(error)) => Err(error.clone()),
            };
            alone.into_iter().for_each(|request| request.answer(stored.clone()));
            if let Err(Failed::Whole(error)) = failed {
                return group.for_each(|request| request.answer(Err(error.clone())));
            }
        }
    }

    fn transact(&mut self, group: &mut Group) -> Result<(), Failed> {
        let done = self.attempt(group);
        if done.is_err() {
            self.db.roll_back();
            self.memory.forget();
        }
        done
    }

    fn attempt(&mut self, group: &mut Group) -> Result<(), Failed> {
        self.identity.check().map_err(Failed::Whole)?;
        self.db.begin().map_err(|fault| self.whole(fault))?;
        let now = caught(|| self.clock.now()).map_err(Failed::Whole)?;
        let tx = Tx::new(&self.db, &self.memory, now);
        if was_set_back(self.last, now) {
            writes::line_up_again(&tx).map_err(|fault| self.whole(fault))?;
        }
        for request in group {
            caught(|| request.attempt(&tx))
                .and_then(|outcome| outcome.map_err(|fault| fault.told(&self.file)))
                .map_err(Failed::Request)?;
        }
        self.db.commit().map_err(|fault| self.whole(fault))?;
        self.last = Some(now);
        Ok(())
    }

    fn whole(&self, fault: Fault) -> Failed {
        Failed::Whole(fault.told(&self.file))
    }
}

/// What waits already, up to a bound; and who wants the store closed after it.
fn gather(first: Box<dyn Request>, inbox: &Receiver<Parcel<dyn Request>>) -> (Group, Option<Closed>) {
    let mut group = vec![first];
    while group.len() < GROUP_COUNT_MAX {
        match inbox.try_recv() {
            Ok(Parcel::Work(next, permit)) => {
                drop(permit);
                group.push(next);
            }
            Ok(Parcel::Close(closed)) => return (group, Some(closed)),
            // Disconnected: what was gathered is still done, the loop ends after it.
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
        }
    }
    (group, None)
}
