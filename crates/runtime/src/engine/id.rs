//! What a run's id may look like. Other languages and databases must be able to carry it unchanged.

use crate::error::EngineError;
use pawl_core::{ErrorCode, RunId};

/// The longest id, in characters: it is part of an index in every store.
const RUN_ID_CHARS_MAX: usize = 500;

/// # Errors
/// `PAWL_ARGUMENT` with what is wrong and what would be right.
pub(super) fn check(id: &RunId) -> Result<(), EngineError> {
    let text = id.as_str();
    let problem = if text.is_empty() {
        "is empty"
    } else if text.chars().count() > RUN_ID_CHARS_MAX {
        "has more than 500 characters"
    } else if text.trim() != text {
        "begins or ends with a space"
    } else if text.chars().any(char::is_control) {
        "contains a control character"
    } else {
        return Ok(());
    };
    let shown: String = text.chars().take(60).collect();
    let message = format!("The run id {shown:?} {problem}; use 1 to 500 printable characters");
    Err(EngineError::new(ErrorCode::Argument, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_and_odd_but_harmless_ids_pass() {
        for id in ["a", "order-42", "A b", "ключ/1 %", "__proto__", &"x".repeat(500)] {
            assert_eq!(check(&RunId::from(id)), Ok(()), "{id:?}");
        }
    }

    #[test]
    fn ids_that_something_on_the_way_would_change_are_refused() {
        for id in ["", " ", "a ", "\ta", "a\0b", "a\nb", &"x".repeat(501)] {
            assert_eq!(check(&RunId::from(id)).unwrap_err().code, ErrorCode::Argument, "{id:?}");
        }
    }
}
