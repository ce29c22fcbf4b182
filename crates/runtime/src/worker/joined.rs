//! The outputs of a fork's branches as one value.

use pawl_core::turn::ThrownError;
use pawl_core::{ErrorCode, Path, Payload};
use std::sync::Arc;

/// Every part is within the limit of a value, but a thousand of them together need not be. JavaScript holds no text of
/// twice this length, and a text it cannot hold would take down all that is delivered with it.
const JOINED_BYTES_MAX: usize = 256 * 1024 * 1024;

/// One object out of the outputs, by branch.
///
/// # Errors
/// `PAWL_VALUE_TOO_LARGE`; trying again does not help.
pub(super) fn joined(outputs: &[(Arc<str>, Path)], values: &[Payload]) -> Result<Payload, ThrownError> {
    let byte_count = values.iter().fold(0_usize, |sum, value| sum.saturating_add(value.bytes.len()));
    if byte_count <= JOINED_BYTES_MAX {
        return Ok(Payload::object(outputs.iter().map(|(name, _)| &**name).zip(values)));
    }
    let message = format!(
        "The outputs of the {} branches are {} MB together, and a join can take {} MB; let the branches return less, for \
         example where the data is instead of the data",
        values.len(),
        byte_count.div_ceil(1024 * 1024),
        JOINED_BYTES_MAX / (1024 * 1024)
    );
    Err(ThrownError { code: ErrorCode::ValueTooLarge, message, cause: None, retryable: false, retry_after_ms: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(branch_count: usize, output: &Payload) -> Result<Payload, ThrownError> {
        let outputs: Vec<_> =
            (0..branch_count).map(|at| (format!("b{at}").into(), format!("b{at}/work").into())).collect();
        joined(&outputs, &vec![output.clone(); branch_count])
    }

    #[test]
    fn outputs_are_joined_by_branch() {
        assert_eq!(join(2, &Payload::json("7")), Ok(Payload::json(r#"{"b0":7,"b1":7}"#)));
    }

    #[test]
    fn outputs_that_javascript_cannot_hold_together_are_refused_for_good() {
        // One text, shared by all branches.
        let output = Payload::json(vec![b'7'; 1024 * 1024]);
        let refusal = join(257, &output).unwrap_err();
        assert_eq!((refusal.code, refusal.retryable), (ErrorCode::ValueTooLarge, false));
        assert!(refusal.message.contains("257 MB together"), "{}", refusal.message);
    }
}
