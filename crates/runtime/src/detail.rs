//! What only the acting part knows about a thing that happened, for the history.

use pawl_core::HistoryEvent;
use serde_json::{Map, Value};

/// Adds a member to what is told beside an event. Core writes details as JSON objects.
pub fn tell(event: &mut HistoryEvent, name: &str, value: Value) {
    let mut detail: Map<String, Value> =
        event.detail.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    detail.insert(name.to_owned(), value);
    event.detail = Some(Value::Object(detail).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::HistoryKind;

    #[test]
    fn what_is_told_already_stays() {
        let mut event = HistoryEvent { kind: HistoryKind::AttemptFailed, path: None, failure: None, detail: None };
        tell(&mut event, "worker", "ada".into());
        assert_eq!(event.detail.as_deref(), Some(r#"{"worker":"ada"}"#));
        tell(&mut event, "retryAt", 7.into());
        assert_eq!(event.detail.as_deref(), Some(r#"{"retryAt":7,"worker":"ada"}"#));
    }
}
