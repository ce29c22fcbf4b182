//! The one list of error codes. TypeScript's list and docs/ERRORS.md are checked against it by a test.

macro_rules! error_codes {
    ($($(#[doc = $doc:literal])* $variant:ident = $code:literal,)*) => {
        /// Every way in which pawl says no. The texts are public and never change their meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[doc = $doc])* $variant,)*
        }

        impl ErrorCode {
            /// All codes, in the order of docs/ERRORS.md.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// The public text of the code.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ErrorCode::$variant => $code,)*
                }
            }

            /// The code with this text.
            pub fn parse(text: &str) -> Option<ErrorCode> {
                match text {
                    $($code => Some(ErrorCode::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

error_codes! {
    /// An argument is missing or of the wrong kind.
    Argument = "PAWL_ARGUMENT",
    /// An option is unknown, of the wrong kind or out of range.
    Option = "PAWL_OPTION",
    /// A flow has problems; the message lists all of them with their paths.
    FlowInvalid = "PAWL_FLOW_INVALID",
    /// No flow of this name is known to the store or to this process.
    FlowUnknown = "PAWL_FLOW_UNKNOWN",
    /// The run was started from a definition of another shape.
    FlowMismatch = "PAWL_FLOW_MISMATCH",
    /// The flow has no node at this path.
    TaskNotFound = "PAWL_TASK_NOT_FOUND",
    /// The node has no function in this process.
    TaskNotImplemented = "PAWL_TASK_NOT_IMPLEMENTED",
    /// `ctx.output(name)` names no node that runs before this one.
    OutputUnknown = "PAWL_OUTPUT_UNKNOWN",
    /// No run has this id.
    RunNotFound = "PAWL_RUN_NOT_FOUND",
    /// A run with this id exists and `onConflict` is `'fail'`.
    RunExists = "PAWL_RUN_EXISTS",
    /// A run with this id exists and belongs to another flow.
    RunConflict = "PAWL_RUN_CONFLICT",
    /// The run is over.
    RunEnded = "PAWL_RUN_ENDED",
    /// The run is paused already.
    RunPaused = "PAWL_RUN_PAUSED",
    /// The run is not paused.
    RunNotPaused = "PAWL_RUN_NOT_PAUSED",
    /// The run failed; the cause is what the failing step threw.
    RunFailed = "PAWL_RUN_FAILED",
    /// The run was cancelled.
    RunCancelled = "PAWL_RUN_CANCELLED",
    /// The run took longer than its deadline allows.
    RunDeadline = "PAWL_RUN_DEADLINE",
    /// The run did not end within the time the caller wanted to wait.
    ResultTimeout = "PAWL_RESULT_TIMEOUT",
    /// A step threw and has no attempts left.
    StepFailed = "PAWL_STEP_FAILED",
    /// A step took longer than its timeout.
    StepTimeout = "PAWL_STEP_TIMEOUT",
    /// The process died too often while it ran this step.
    StepCrashed = "PAWL_STEP_CRASHED",
    /// A signal did not arrive in time.
    SignalTimeout = "PAWL_SIGNAL_TIMEOUT",
    /// Why an attempt was aborted: another worker owns it now, or nobody does.
    ClaimLost = "PAWL_CLAIM_LOST",
    /// Why an attempt was aborted: its worker is stopping.
    Drained = "PAWL_DRAINED",
    /// A value cannot be stored; the message names its path.
    Serialization = "PAWL_SERIALIZATION",
    /// A value is larger than the limit.
    ValueTooLarge = "PAWL_VALUE_TOO_LARGE",
    /// A value does not fit the schema that the flow has for it; the message names the paths.
    Schema = "PAWL_SCHEMA",
    /// The store did not answer or cannot be opened.
    StoreUnavailable = "PAWL_STORE_UNAVAILABLE",
    /// Another process holds the database for longer than the store waits.
    StoreBusy = "PAWL_STORE_BUSY",
    /// The database cannot be written to.
    StoreReadOnly = "PAWL_STORE_READ_ONLY",
    /// The disk is full.
    StoreFull = "PAWL_STORE_FULL",
    /// The database or a row in it is damaged.
    StoreCorrupt = "PAWL_STORE_CORRUPT",
    /// The file is not a database, or not one that pawl can use.
    StoreForeign = "PAWL_STORE_FOREIGN",
    /// The database was made by a newer pawl.
    StoreNewer = "PAWL_STORE_NEWER",
    /// The client or worker is closed.
    Closed = "PAWL_CLOSED",
    /// The worker is in the wrong state for this call.
    WorkerState = "PAWL_WORKER_STATE",
    /// The native addon could not be loaded.
    NativeMissing = "PAWL_NATIVE_MISSING",
    /// A fault in pawl itself.
    Internal = "PAWL_INTERNAL",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_text() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
            assert!(code.as_str().starts_with("PAWL_"), "{}", code.as_str());
        }
    }
}
