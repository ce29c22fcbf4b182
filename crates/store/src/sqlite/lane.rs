//! The ways into the threads of a store. What is sent is done in the order of sending; a bounded number may wait, and
//! whoever comes later waits outside, without a thread.

use crate::{Answer, StoreError};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// How many requests may lie before a thread. Each may be a batch, so this bounds memory, not throughput.
const WAITING_MAX: usize = 4_096;

/// What a lane carries.
pub(super) enum Parcel<T: ?Sized> {
    /// Something to do.
    Work(Box<T>, OwnedSemaphorePermit),
    /// Finish; drop this when the database is let go of.
    Close(Closed),
}

/// Nothing is ever sent through it: its end is the answer.
pub(super) type Closed = oneshot::Sender<Infallible>;

/// The sending end.
pub(super) struct Lane<T: ?Sized> {
    sender: Sender<Parcel<T>>,
    room: Arc<Semaphore>,
}

impl<T: ?Sized + Send + 'static> Lane<T> {
    pub fn new() -> (Lane<T>, Receiver<Parcel<T>>) {
        let (sender, receiver) = channel();
        (Lane { sender, room: Arc::new(Semaphore::new(WAITING_MAX)) }, receiver)
    }

    /// Sends work and promises its answer. With room left, it is sent before this returns.
    pub fn send<A: Send + 'static>(&self, work: Box<T>, answer: oneshot::Receiver<Result<A, StoreError>>) -> Answer<A> {
        let sender = self.sender.clone();
        match self.room.clone().try_acquire_owned() {
            Ok(permit) => {
                let sent = sender.send(Parcel::Work(work, permit)).map_err(|_| StoreError::closed());
                Box::pin(async move {
                    sent?;
                    answer.await.map_err(|_| StoreError::closed())?
                })
            }
            Err(_) => {
                let room = self.room.clone();
                Box::pin(async move {
                    let permit = room.acquire_owned().await.map_err(|_| StoreError::closed())?;
                    sender.send(Parcel::Work(work, permit)).map_err(|_| StoreError::closed())?;
                    answer.await.map_err(|_| StoreError::closed())?
                })
            }
        }
    }

    /// Lets the thread finish what was sent. The answer comes when it has let go of its connection.
    pub fn close(&self) -> impl Future<Output = ()> + Send + use<T> {
        let sender = self.sender.clone();
        async move {
            let (closed, wait) = oneshot::channel::<Infallible>();
            if sender.send(Parcel::Close(closed)).is_ok() {
                // It ends with an error, for nothing is ever sent through it; or the thread has ended before.
                let Err(_gone) = wait.await;
            }
        }
    }
}
