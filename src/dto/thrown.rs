//! Outcomes of attempts.

use pawl_core::turn::ThrownError;
use pawl_core::{ErrorCode, Payload};
use pawl_runtime::AttemptOutcome;
use serde::Deserialize;

/// What a user's function threw, as `ts/bridge/thrown.ts` describes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ThrownDto {
    code: Option<String>,
    message: String,
    retryable: bool,
    retry_after_ms: Option<i64>,
    cause_codec: Option<u8>,
    cause: Option<String>,
}

/// One outcome. A codec of 0 or more: the function returned the value in `text`; otherwise it threw what `text` tells.
pub fn outcome(codec: i32, text: String) -> AttemptOutcome {
    match u8::try_from(codec) {
        Ok(codec) => AttemptOutcome::Succeeded(Payload { codec, bytes: text.into() }),
        Err(_) => AttemptOutcome::Failed(thrown(&text)),
    }
}

fn thrown(text: &str) -> ThrownError {
    match serde_json::from_str::<ThrownDto>(text) {
        Ok(dto) => ThrownError {
            code: dto.code.as_deref().and_then(ErrorCode::parse).unwrap_or(ErrorCode::StepFailed),
            message: dto.message,
            cause: dto.cause.map(|text| Payload { codec: dto.cause_codec.unwrap_or_default(), bytes: text.into() }),
            retryable: dto.retryable,
            retry_after_ms: dto.retry_after_ms,
        },
        Err(error) => ThrownError {
            code: ErrorCode::Internal,
            message: format!("An attempt failed, and pawl could not read how: {error}"),
            cause: None,
            retryable: true,
            retry_after_ms: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_returned_value_keeps_its_bytes() {
        let value = Payload { codec: 1, bytes: r#"{"a":{"$t":"undefined"}}"#.into() };
        assert_eq!(outcome(1, r#"{"a":{"$t":"undefined"}}"#.into()), AttemptOutcome::Succeeded(value));
    }

    #[test]
    fn a_thrown_error_keeps_its_cause_and_its_wishes() {
        let text =
            r#"{"code":null,"message":"no stock","retryable":false,"retryAfterMs":50,"causeCodec":1,"cause":"{}"}"#;
        let expected = ThrownError {
            code: ErrorCode::StepFailed,
            message: "no stock".into(),
            cause: Some(Payload { codec: 1, bytes: "{}".into() }),
            retryable: false,
            retry_after_ms: Some(50),
        };
        assert_eq!(outcome(-1, text.into()), AttemptOutcome::Failed(expected));
    }

    #[test]
    fn an_unreadable_description_is_a_fault_of_pawl_and_not_of_the_step() {
        let AttemptOutcome::Failed(thrown) = outcome(-1, "{".into()) else { panic!("must have failed") };
        assert_eq!((thrown.code, thrown.retryable), (ErrorCode::Internal, true));
    }
}
