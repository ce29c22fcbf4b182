//! States and failures as JSON text in a row. The fields are a stored format: add, never rename; see docs/FORMATS.md.

use crate::StoreError;
use bytes::Bytes;
use pawl_core::{ErrorCode, Failure, Path, Payload, RunState};
use serde::{Deserialize, Serialize};

/// What a state says beyond its number ([`RunState::number`]); `None` for a running run, of which all is said.
pub fn state_to_json(state: &RunState) -> Option<String> {
    let words = match state {
        RunState::Running => return None,
        RunState::Paused { reason, by } | RunState::Cancelled { reason, by } => {
            Words { reason: reason.clone(), by: by.clone(), ..Words::default() }
        }
        RunState::Completed { output } => Words { output: Some(output.clone()), ..Words::default() },
        RunState::Failed(failure) => Words { failure: Some(failure.into()), ..Words::default() },
    };
    Some(text(&words))
}

/// The state with this number and these words.
///
/// # Errors
/// `PAWL_STORE_CORRUPT` when the two do not make a state.
pub fn state_from_json(number: u8, words: Option<&str>) -> Result<RunState, StoreError> {
    let words: Words = words.map_or(Ok(Words::default()), |words| parse("the state of a run", words))?;
    let Words { reason, by, output, failure } = words;
    match (number, output, failure) {
        (1, ..) => Ok(RunState::Running),
        (2, ..) => Ok(RunState::Paused { reason, by }),
        (3, Some(output), _) => Ok(RunState::Completed { output }),
        (4, _, Some(failure)) => Ok(RunState::Failed(failure.try_into()?)),
        (5, ..) => Ok(RunState::Cancelled { reason, by }),
        _ => Err(StoreError::damaged(format!("the state of a run has number {number} and lacks what belongs to it"))),
    }
}

/// A failure as text.
pub fn failure_to_json(failure: &Failure) -> String {
    text(&StoredFailure::from(failure))
}

/// The failure that was written as this text.
///
/// # Errors
/// `PAWL_STORE_CORRUPT` when it is none.
pub fn failure_from_json(failure: &str) -> Result<Failure, StoreError> {
    parse::<StoredFailure>("a failure", failure)?.try_into()
}

#[derive(Serialize, Deserialize, Default)]
struct Words {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Path>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<StoredFailure>,
}

#[derive(Serialize, Deserialize)]
struct StoredFailure {
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<Path>,
    #[serde(default)]
    attempt: u32,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<StoredPayload>,
}

#[derive(Serialize, Deserialize)]
struct StoredPayload {
    codec: u8,
    #[serde(flatten)]
    content: Content,
}

/// Every codec so far writes text. Bytes that are none are kept all the same, as numbers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Failure> for StoredFailure {
    fn from(failure: &Failure) -> StoredFailure {
        StoredFailure {
            code: failure.code.as_str().into(),
            path: failure.path.clone(),
            attempt: failure.attempt,
            message: failure.message.clone(),
            cause: failure.cause.as_ref().map(StoredPayload::from),
        }
    }
}

impl TryFrom<StoredFailure> for Failure {
    type Error = StoreError;

    fn try_from(stored: StoredFailure) -> Result<Failure, StoreError> {
        let StoredFailure { code, path, attempt, message, cause } = stored;
        let code = ErrorCode::parse(&code)
            .ok_or_else(|| StoreError::damaged(format!("a failure has the code \"{code}\", which does not exist")))?;
        Ok(Failure { code, path, attempt, message, cause: cause.map(Payload::from) })
    }
}

impl From<&Payload> for StoredPayload {
    fn from(payload: &Payload) -> StoredPayload {
        let content = match std::str::from_utf8(&payload.bytes) {
            Ok(text) => Content::Text(text.into()),
            Err(_) => Content::Bytes(payload.bytes.to_vec()),
        };
        StoredPayload { codec: payload.codec, content }
    }
}

impl From<StoredPayload> for Payload {
    fn from(stored: StoredPayload) -> Payload {
        let bytes = match stored.content {
            Content::Text(text) => Bytes::from(text),
            Content::Bytes(bytes) => Bytes::from(bytes),
        };
        Payload { codec: stored.codec, bytes }
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("only texts, numbers and lists: JSON can say all of it")
}

fn parse<'a, T: Deserialize<'a>>(what: &str, text: &'a str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::damaged(format!("{what} cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::payload::CODEC_TAGGED;

    fn failure(cause: Option<Payload>) -> Failure {
        Failure {
            code: ErrorCode::StepFailed,
            path: Some("ship/pack".into()),
            attempt: 3,
            message: "no \"stock\"\n".into(),
            cause,
        }
    }

    fn states() -> Vec<RunState> {
        let (reason, by) = (Some("why".to_owned()), Some("ops".to_owned()));
        vec![
            RunState::Running,
            RunState::Paused { reason: reason.clone(), by: by.clone() },
            RunState::Paused { reason: None, by: None },
            RunState::Completed { output: "ship/pack".into() },
            RunState::Failed(failure(None)),
            RunState::Cancelled { reason, by },
            RunState::Cancelled { reason: None, by: None },
        ]
    }

    #[test]
    fn a_state_comes_back_as_it_was_written() {
        for state in states() {
            let words = state_to_json(&state);
            assert_eq!(state_from_json(state.number(), words.as_deref()), Ok(state));
        }
    }

    #[test]
    fn a_failure_comes_back_with_the_bytes_of_its_cause() {
        let tagged = Payload { codec: CODEC_TAGGED, bytes: r#"{"$t":"Error","message":"\u0000"}"#.into() };
        let binary = Payload { codec: 9, bytes: Bytes::from_static(&[0xff, 0x00]) };
        for cause in [None, Some(tagged), Some(binary)] {
            let failure = failure(cause);
            assert_eq!(failure_from_json(&failure_to_json(&failure)), Ok(failure));
        }
    }

    #[test]
    fn the_text_of_a_failure_never_changes() {
        let text = failure_to_json(&failure(Some(Payload::json("1"))));
        let golden = r#"{"code":"PAWL_STEP_FAILED","path":"ship/pack","attempt":3,"message":"no \"stock\"\n","cause":{"codec":0,"text":"1"}}"#;
        assert_eq!(text, golden);
    }

    #[test]
    fn what_is_no_state_is_damage() {
        for (number, words) in [(3, None), (4, Some("{}")), (0, None), (2, Some("nonsense"))] {
            let error = state_from_json(number, words).unwrap_err();
            assert_eq!(error.code, ErrorCode::StoreCorrupt, "{number} {words:?}");
        }
        let unknown = r#"{"code":"PAWL_NEVER","message":""}"#;
        assert_eq!(failure_from_json(unknown).unwrap_err().code, ErrorCode::StoreCorrupt);
    }
}
