//! The way into JavaScript: messages are queued, and a bell is rung once until the JavaScript thread has come and taken
//! all that lies there. Thousands of messages cost one call, and nobody ever waits for JavaScript.

use crate::message::Message;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How old the last sign of life may be before asking for one. Far below any budget for a blocked event loop, and rare
/// enough to cost nothing.
const PROBE_AFTER: Duration = Duration::from_millis(250);

/// Makes the JavaScript thread come and call [`Doorbell::take`]. Must not block.
pub trait Bell: Send {
    /// `false`: the thread is gone or going and will never come.
    fn ring(&self) -> bool;
}

/// Messages on their way to one JavaScript thread.
pub struct Doorbell {
    queue: Mutex<Queue>,
    bell: Mutex<Option<Box<dyn Bell>>>,
    gone: watch::Sender<bool>,
}

struct Queue {
    messages: Vec<Message>,
    rung_at: Option<Instant>,
    seen_at: Instant,
    closed: bool,
}

impl Doorbell {
    /// A doorbell without a bell: messages wait until [`Doorbell::mount`].
    pub fn new() -> Doorbell {
        let queue = Queue { messages: Vec::new(), rung_at: None, seen_at: Instant::now(), closed: false };
        Doorbell { queue: Mutex::new(queue), bell: Mutex::new(None), gone: watch::Sender::new(false) }
    }

    /// Gives it its bell.
    pub fn mount(&self, bell: Box<dyn Bell>) {
        *lock(&self.bell) = Some(bell);
        self.push(Vec::new());
    }

    /// Queues messages. Messages to a closed doorbell are dropped: nobody is left who could want them.
    pub fn push(&self, messages: Vec<Message>) {
        let mut queue = lock(&self.queue);
        if queue.closed {
            return;
        }
        queue.messages.extend(messages);
        if queue.rung_at.is_none() {
            queue.rung_at = Some(Instant::now());
            drop(queue);
            self.ring();
        }
    }

    /// Takes all that is queued. Called on the JavaScript thread.
    pub fn take(&self) -> Vec<Message> {
        let mut queue = lock(&self.queue);
        queue.rung_at = None;
        queue.seen_at = Instant::now();
        std::mem::take(&mut queue.messages)
    }

    /// For how long the bell has been ringing, in milliseconds. A thread that was not heard of for a while is rung for,
    /// so that a blocked one is noticed even when there is nothing to tell it.
    pub fn unanswered_ms(&self) -> i64 {
        let mut queue = lock(&self.queue);
        match queue.rung_at {
            Some(at) => i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX),
            None => {
                if !queue.closed && queue.seen_at.elapsed() >= PROBE_AFTER {
                    queue.rung_at = Some(Instant::now());
                    drop(queue);
                    self.ring();
                }
                0
            }
        }
    }

    /// Takes the bell away, now and for ever. Called on the JavaScript thread.
    pub fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        queue.rung_at = None;
        queue.messages = Vec::new();
        drop(queue);
        // The bell is dropped outside of its lock: letting go of it calls into Node.
        let bell = lock(&self.bell).take();
        drop(bell);
        self.gone.send_replace(true);
    }

    /// Resolves when the JavaScript thread is gone or the doorbell was closed.
    pub async fn gone(&self) {
        let mut gone = self.gone.subscribe();
        // An error would mean that the sender is gone, and it lives in `self`.
        if gone.wait_for(|gone| *gone).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn ring(&self) {
        let answered = match &*lock(&self.bell) {
            Some(bell) => bell.ring(),
            None => {
                lock(&self.queue).rung_at = None;
                true
            }
        };
        if !answered {
            let mut queue = lock(&self.queue);
            queue.closed = true;
            queue.messages = Vec::new();
            drop(queue);
            self.gone.send_replace(true);
        }
    }
}

/// A panic elsewhere while the lock was held leaves nothing half-done here: every change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counted(Arc<AtomicUsize>, bool);

    impl Bell for Counted {
        fn ring(&self) -> bool {
            self.0.fetch_add(1, Ordering::SeqCst);
            self.1
        }
    }

    fn event(worker: u32) -> Message {
        Message::Event { worker, name: "test", json: "{}".into() }
    }

    fn mounted(answering: bool) -> (Doorbell, Arc<AtomicUsize>) {
        let (doorbell, rings) = (Doorbell::new(), Arc::new(AtomicUsize::new(0)));
        doorbell.mount(Box::new(Counted(rings.clone(), answering)));
        doorbell.take();
        rings.store(0, Ordering::SeqCst);
        (doorbell, rings)
    }

    #[test]
    fn the_bell_rings_once_until_somebody_comes() {
        let (doorbell, rings) = mounted(true);
        doorbell.push(vec![event(1)]);
        doorbell.push(vec![event(2), event(3)]);
        assert_eq!(rings.load(Ordering::SeqCst), 1);
        assert_eq!(doorbell.take(), [event(1), event(2), event(3)]);

        doorbell.push(vec![event(4)]);
        assert_eq!(rings.load(Ordering::SeqCst), 2);
        assert_eq!(doorbell.take(), [event(4)]);
    }

    #[test]
    fn messages_wait_for_a_bell_that_is_not_mounted_yet() {
        let (doorbell, rings) = (Doorbell::new(), Arc::new(AtomicUsize::new(0)));
        doorbell.push(vec![event(1)]);
        doorbell.mount(Box::new(Counted(rings.clone(), true)));
        assert_eq!(rings.load(Ordering::SeqCst), 1);
        assert_eq!(doorbell.take(), [event(1)]);
    }

    #[test]
    fn a_thread_that_does_not_come_is_unresponsive_from_the_first_ring_on() {
        let (doorbell, _) = mounted(true);
        assert_eq!(doorbell.unanswered_ms(), 0);
        doorbell.push(vec![event(1)]);
        lock(&doorbell.queue).rung_at = Instant::now().checked_sub(Duration::from_millis(5));
        assert!(doorbell.unanswered_ms() >= 5);
        doorbell.take();
        assert_eq!(doorbell.unanswered_ms(), 0);
    }

    #[test]
    fn a_thread_that_was_not_heard_of_for_a_while_is_asked_for_a_sign_of_life() {
        let (doorbell, rings) = mounted(true);
        lock(&doorbell.queue).seen_at = Instant::now().checked_sub(PROBE_AFTER).unwrap();
        assert_eq!(doorbell.unanswered_ms(), 0);
        assert_eq!(rings.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_thread_that_is_going_closes_the_doorbell() {
        let (doorbell, rings) = mounted(false);
        doorbell.push(vec![event(1)]);
        doorbell.gone().await;
        doorbell.push(vec![event(2)]);
        assert_eq!(doorbell.take(), []);
        assert_eq!(rings.load(Ordering::SeqCst), 0);
    }
}
