//! What the engine tells JavaScript. `ts/native.ts` has the same messages with their elements in the same order.

use crate::error::OpError;
use pawl_core::{ErrorCode, Payload};
use pawl_runtime::{Attempt, AttemptId};
use serde_json::json;

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Run this attempt.
    Run {
        /// The number JavaScript gave the worker.
        worker: u32,
        /// The place of the flow in the list the worker was started with.
        flow_index: u32,
        /// What to run.
        attempt: Attempt,
    },
    /// Tell an attempt to stop.
    Abort {
        /// Which one.
        attempt: AttemptId,
        /// The code of the error that becomes the reason of its `AbortSignal`.
        code: ErrorCode,
        /// In words.
        message: String,
    },
    /// The answer to a request.
    Reply {
        /// The number JavaScript gave the request.
        call: i64,
        /// Whether it was done.
        ok: bool,
        /// The answer, or `{ code, message }`, as JSON.
        json: String,
        /// A value that belongs to the answer: an output, or the cause of the error.
        payload: Option<Payload>,
    },
    /// Something a worker wants to tell.
    Event {
        /// The number JavaScript gave the worker.
        worker: u32,
        /// What happened.
        name: &'static str,
        /// More about it, as JSON.
        json: String,
    },
}

impl Message {
    /// The answer to a request.
    pub fn reply(call: i64, answer: Result<Answer, OpError>) -> Message {
        match answer {
            Ok(Answer { json, payload }) => Message::Reply { call, ok: true, json, payload },
            Err(OpError { code, message, cause }) => {
                let json = json!({ "code": code.as_str(), "message": message }).to_string();
                Message::Reply { call, ok: false, json, payload: cause }
            }
        }
    }

    /// The number that tells the message's kind; see `Message` in `ts/native.ts`.
    pub fn kind(&self) -> u32 {
        match self {
            Message::Run { .. } => 1,
            Message::Abort { .. } => 2,
            Message::Reply { .. } => 3,
            Message::Event { .. } => 4,
        }
    }

    /// How many elements the message takes; see `MESSAGE_LENGTH` in `ts/native.ts`.
    pub fn length(&self) -> u32 {
        match self {
            Message::Run { .. } => 12,
            Message::Abort { .. } => 4,
            Message::Reply { .. } => 6,
            Message::Event { .. } => 4,
        }
    }
}

/// What a request is answered with when it was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// JSON.
    pub json: String,
    /// A value that belongs to it.
    pub payload: Option<Payload>,
}

impl Answer {
    /// Nothing but "it was done".
    pub fn done() -> Answer {
        Answer { json: "{}".into(), payload: None }
    }

    /// Data.
    ///
    /// # Errors
    /// Data that cannot be written as JSON: a fault of pawl.
    pub fn data(data: &impl serde::Serialize) -> Result<Answer, OpError> {
        Answer::with(data, None)
    }

    /// Data and a value of the user's.
    ///
    /// # Errors
    /// Data that cannot be written as JSON: a fault of pawl.
    pub fn with(data: &impl serde::Serialize, payload: Option<Payload>) -> Result<Answer, OpError> {
        let json = serde_json::to_string(data)
            .map_err(|error| OpError::internal(format!("An answer is not JSON: {error}")))?;
        Ok(Answer { json, payload })
    }
}
