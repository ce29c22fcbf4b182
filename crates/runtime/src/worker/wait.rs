//! Waiting for one thing to happen, and then for nothing more: all that has happened meanwhile is taken in one lap.

use super::dispatcher::Dispatcher;
use super::handle::Message;
use pawl_core::Millis;
use pawl_store::Clock;
use std::future::Future;
use std::pin::Pin;
use tokio::time::{Instant, sleep_until};

type Ringing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One timer on the store's clock, made anew only when its moment changes.
#[derive(Default)]
pub(super) struct Alarm {
    set: Option<(Millis, Ringing)>,
}

impl Alarm {
    fn set(&mut self, clock: &dyn Clock, at: Option<Millis>) {
        if self.set.as_ref().map(|(at, _)| *at) != at {
            self.set = at.map(|at| (at, clock.until(at)));
        }
    }

    async fn rings(&mut self) {
        match &mut self.set {
            Some((_, rings)) => rings.await,
            None => std::future::pending().await,
        }
        self.set = None;
    }
}

impl Dispatcher {
    /// Waits until something happens and takes in all that has.
    pub async fn wait(&mut self) {
        let next_at = self.next_at();
        self.alarm.set(&*self.around.clock, next_at);
        let wake_at = self.wake_at();
        tokio::select! {
            Some(message) = self.inbox.recv() => self.message(message),
            Some(answered) = self.calls.next(), if !self.calls.is_empty() => {
                self.hear_notices();
                self.answered(answered);
            }
            Some(notice) = self.notices.recv() => self.noticed(notice),
            Some((session, news)) = self.lease_news.recv() => self.lease_news(session, news),
            changed = self.foreign.changed(), if !self.foreign_gone => match changed {
                Ok(()) => self.foreign_changed(),
                Err(_) => self.foreign_gone = true,
            },
            () = self.member.earlier() => {}
            () = self.alarm.rings() => {}
            () = sleep_until(wake_at) => {}
        }
        self.hear_notices();
        while let Ok(message) = self.inbox.try_recv() {
            self.message(message);
        }
        while let Some(answered) = self.calls.try_next() {
            self.answered(answered);
        }
        self.forget_old_stops();
    }

    /// Before any answer: what was told to stop must not be started by an answer that lies beside the notice.
    fn hear_notices(&mut self) {
        while let Ok(notice) = self.notices.try_recv() {
            self.noticed(notice);
        }
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Outcomes(outcomes) => self.outcomes(outcomes),
            Message::Stop(until) => self.stop(until),
        }
    }

    /// The next moment on the store's clock at which there is something to do.
    fn next_at(&self) -> Option<Millis> {
        let claim_at = self.member.due_at().filter(|_| self.could_claim());
        [self.deadlines.next_at(), claim_at, self.next_reap_at()].into_iter().flatten().min()
    }

    /// The next moment on this machine's clock at which there is something to do.
    fn wake_at(&self) -> Instant {
        let now = Instant::now();
        let could_check = !self.calls.check && self.session.no().is_some() && self.outage.may_ask(now);
        let check_at = self.foreign_check_at.filter(|_| could_check);
        let stop_at = self.stopping.as_ref().map(|stopping| stopping.next_at(now));
        let refused_at = self.refused_turn_at().filter(|_| self.outage.may_ask(now) && self.may_commit());
        let reap_at = self.sparing_until.filter(|until| *until > now);
        let look_at = self.look_at_executor_at(now);
        let others = [self.outage.ask_again_at(now), check_at, stop_at, refused_at, reap_at, look_at];
        others.into_iter().flatten().fold(self.poll_at, Instant::min)
    }
}
