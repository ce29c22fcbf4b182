//! What Node sees. All of napi is in here; data goes in and out, no engine rule lives here.
//!
//! Every export that JavaScript calls catches unwinding: a panic that reached Node would end the process.

mod batch;
mod bell;
mod engine;
mod teardown;

use napi_derive::napi;
use pawl_core::ErrorCode;

/// Checks a definition and answers with its hash or with all its problems, as JSON.
#[napi(catch_unwind)]
pub fn check_flow(definition: String) -> String {
    crate::dto::flow::check_flow(&definition)
}

/// All error codes of the native side, in the order of docs/ERRORS.md.
#[napi(catch_unwind)]
pub fn error_codes() -> Vec<String> {
    ErrorCode::ALL.iter().map(|code| code.as_str().to_owned()).collect()
}
