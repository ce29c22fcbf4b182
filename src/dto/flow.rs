//! Definitions on their way to the engine.

use pawl_core::FlowHash;
use pawl_core::flow::{Definition, Problem};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

/// Arguments of `register`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterArgs {
    /// The definition. Its text is stored as it was written, so it is not read into values here.
    pub definition: Box<RawValue>,
}

/// Answer of `register`.
#[derive(Debug, Serialize)]
pub struct RegisterReply {
    /// The flow's hash.
    pub hash: FlowHash,
}

/// Checks a definition: `{ "hash": … }` or `{ "problems": [{ "path", "message" }] }`.
pub fn check_flow(definition: &str) -> String {
    let built = serde_json::from_str::<Definition>(definition)
        .map_err(|error| {
            vec![Problem { path: String::new(), message: format!("The definition does not fit: {error}") }]
        })
        .and_then(|definition| definition.build());
    match built {
        Ok(flow) => json!({ "hash": flow.hash }),
        Err(problems) => {
            let problem = |Problem { path, message }| json!({ "path": path, "message": message });
            json!({ "problems": problems.into_iter().map(problem).collect::<Vec<_>>() })
        }
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn checked(definition: &str) -> Value {
        serde_json::from_str(&check_flow(definition)).unwrap()
    }

    #[test]
    fn a_valid_definition_is_answered_with_its_hash() {
        let answer = checked(r#"{"name":"checkout","nodes":[{"scope":"","name":"charge","kind":"step"}]}"#);
        assert_eq!(answer["hash"].as_str().map(str::len), Some(32), "{answer}");
    }

    #[test]
    fn problems_are_answered_with_their_paths() {
        let answer = checked(r#"{"name":"checkout","nodes":[{"scope":"","name":"a/b","kind":"step"}]}"#);
        assert!(answer["problems"][0]["message"].is_string(), "{answer}");
        assert!(checked("{")["problems"][0]["message"].as_str().unwrap().contains("does not fit"));
        assert!(checked(r#"{"name":"f","nodes":[],"hash":1}"#)["problems"][0]["message"].is_string());
    }
}
