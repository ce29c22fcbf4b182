//! The data of requests and answers, one file per family. Names and order are those of `ts/client`, where the same data
//! is written and read. `null` means "unset"; an unknown member is a misspelt one and refused.

pub mod connect;
pub mod flow;
pub mod read;
pub mod run;
pub mod status;
pub mod thrown;
pub mod worker;

use crate::error::OpError;
use pawl_core::ErrorCode;
use serde::de::DeserializeOwned;

/// Reads the arguments of an operation.
///
/// # Errors
/// `PAWL_ARGUMENT` with what does not fit and where.
pub fn parse<T: DeserializeOwned>(op: &str, args: &str) -> Result<T, OpError> {
    serde_json::from_str(args)
        .map_err(|error| OpError::new(ErrorCode::Argument, format!("The arguments of \"{op}\" do not fit: {error}")))
}
