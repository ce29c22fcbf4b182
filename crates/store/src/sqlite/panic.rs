//! A fault in pawl must not end a thread that other runs depend on.

use crate::StoreError;
use pawl_core::ErrorCode;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `act`; a panic becomes `PAWL_INTERNAL`.
///
/// The caller rolls back, and drops every memory of what `act` may have left half done.
pub(super) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|panic| {
        let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        let message = format!("pawl panicked in its SQLite store: {words}. Nothing was stored; please report this");
        StoreError { code: ErrorCode::Internal, message, passing: false }
    })
}
