//! Questions to the store that are on their way. The dispatcher never waits for one of them alone.

use super::claims::ClaimAsked;
use super::dispatcher::Dispatcher;
use super::turns::Turn;
use crate::executor::AttemptId;
use pawl_core::turn::Claimed;
use pawl_core::{FlowHash, Payload, SessionNo};
use pawl_store::{Answer, ClaimCheck, ClaimFate, Claims, Committed, HandBack, Reaped, Refused, RunRecord, StoreError};
use std::collections::BTreeSet;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// An answer of the store, together with what is needed to act on it or to ask again.
pub(super) enum Answered {
    Opened(Result<SessionNo, StoreError>, Instant),
    Claimed(Result<Claims, StoreError>, ClaimAsked),
    Committed(Result<Vec<Result<Committed, Refused>>, StoreError>, Vec<Turn>, Option<SessionNo>),
    HandedBack(Result<(), StoreError>, Vec<(HandBack, FlowHash)>),
    Loaded(Result<Vec<Option<Payload>>, StoreError>, AttemptId),
    Checked(Result<Vec<(ClaimCheck, ClaimFate)>, StoreError>),
    Held(Result<Vec<Claimed>, StoreError>, SessionNo),
    Reaped(Result<Reaped, StoreError>),
    Looked(Box<Result<Option<RunRecord>, StoreError>>),
    Closed(Result<(), StoreError>, SessionNo),
}

/// What a call may do to what the worker holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It may tell of claims, for which slots are reserved.
    Claims { reserved: usize },
    /// It may take claims away.
    Releases,
    /// None.
    None,
}

/// The calls on their way.
#[derive(Default)]
pub(super) struct Calls {
    set: JoinSet<(u64, Effect, Answered)>,
    next_number: u64,
    answered_number: u64,
    /// Calls that may tell of claims, oldest first.
    claiming: BTreeSet<u64>,
    releasing_count: usize,
    reserved: usize,
    pub claim: bool,
    pub open: bool,
    pub check: bool,
    pub reap: bool,
    pub look: bool,
}

impl Calls {
    /// Sends a question on its way.
    pub fn ask<T: Send + 'static>(
        &mut self,
        effect: Effect,
        answer: Answer<T>,
        then: impl FnOnce(Result<T, StoreError>) -> Answered + Send + 'static,
    ) {
        let number = self.next_number;
        self.next_number += 1;
        match effect {
            Effect::Claims { reserved } => {
                self.claiming.insert(number);
                self.reserved += reserved;
            }
            Effect::Releases => self.releasing_count += 1,
            Effect::None => {}
        }
        self.set.spawn(async move { (number, effect, then(answer.await)) });
    }

    /// Resolves when an answer has come; `None` when no question is open. Cancelling it loses nothing.
    pub async fn next(&mut self) -> Option<Answered> {
        let joined = self.set.join_next().await?;
        Some(self.arrived(joined))
    }

    /// An answer that has come already.
    pub fn try_next(&mut self) -> Option<Answered> {
        let joined = self.set.try_join_next()?;
        Some(self.arrived(joined))
    }

    fn arrived(&mut self, joined: Result<(u64, Effect, Answered), tokio::task::JoinError>) -> Answered {
        let (number, effect, answered) = match joined {
            Ok(arrived) => arrived,
            // Calls are never aborted, so this is a panic inside a store: it ends the worker, which reports it.
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        };
        self.answered_number = number;
        match effect {
            Effect::Claims { reserved } => {
                self.claiming.remove(&number);
                self.reserved -= reserved;
            }
            Effect::Releases => self.releasing_count -= 1,
            Effect::None => {}
        }
        answered
    }

    /// Slots that are kept free for claims on their way.
    pub fn reserved(&self) -> usize {
        self.reserved
    }

    /// Whether a call is on its way that changes what the worker holds.
    pub fn changing(&self) -> bool {
        !self.claiming.is_empty() || self.releasing_count > 0
    }

    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The number the next call will get.
    pub fn next_number(&self) -> u64 {
        self.next_number
    }

    /// The number of the call whose answer came last.
    pub fn answered_number(&self) -> u64 {
        self.answered_number
    }

    /// The oldest call on its way that may tell of claims.
    pub fn oldest_claiming(&self) -> Option<u64> {
        self.claiming.first().copied()
    }
}

impl Dispatcher {
    /// Acts on an answer.
    pub fn answered(&mut self, answered: Answered) {
        match answered {
            Answered::Opened(answer, asked) => self.session_answered(answer, asked),
            Answered::Claimed(answer, asked) => self.claims_answered(answer, asked),
            Answered::Committed(answer, turns, session) => self.commit_answered(answer, turns, session),
            Answered::HandedBack(answer, hand_backs) => self.hand_back_answered(answer, hand_backs),
            Answered::Loaded(answer, id) => self.inputs_answered(answer, id),
            Answered::Checked(answer) => self.check_answered(answer),
            Answered::Held(answer, session) => self.held_answered(answer, session),
            Answered::Reaped(answer) => self.reap_answered(answer),
            Answered::Looked(answer) => self.look_answered(*answer),
            Answered::Closed(answer, session) => self.old_session_closed(answer, session),
        }
    }

    /// Notes how the store did. `None`: it failed, and is asked again later.
    pub fn heard<T>(&mut self, answer: Result<T, StoreError>) -> Option<T> {
        match answer {
            Ok(answer) => {
                self.store_worked();
                Some(answer)
            }
            Err(error) => {
                self.store_failed(error);
                None
            }
        }
    }
}
