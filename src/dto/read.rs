//! Reading runs.

use crate::dto::status::{StatusDto, status_word};
use crate::error::OpError;
use pawl_core::run::OpenView;
use pawl_core::{ErrorCode, HistoryEvent, Millis, Path, Phase, RunId, RunNo};
use pawl_runtime::{Explanation, RunPage};
use pawl_store::{HistoryRecord, ListQuery, ResultRecord, StatusFilter};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Arguments of everything that only needs a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdArgs {
    /// The run's id.
    pub id: RunId,
}

/// Arguments of `result`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResultArgs {
    /// The run's id.
    pub id: RunId,
    /// How long to wait; unset: for as long as it takes.
    pub timeout_ms: Option<i64>,
}

/// Arguments of `output`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputArgs {
    /// The run's number.
    pub run: RunNo,
    /// The node; empty for the run's input.
    pub path: Path,
}

/// Answer of `output`; the value comes as the payload.
#[derive(Debug, Serialize)]
pub struct OutputDto {
    /// Whether a value is recorded.
    pub found: bool,
}

/// Arguments of `list`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListArgs {
    flow: Option<String>,
    status: Option<StatusFilterDto>,
    cursor: Option<String>,
    limit: usize,
}

/// The seven statuses.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StatusFilterDto {
    Running,
    Waiting,
    AwaitingSignal,
    Paused,
    Completed,
    Failed,
    Cancelled,
}

impl TryFrom<ListArgs> for ListQuery {
    type Error = OpError;

    fn try_from(args: ListArgs) -> Result<ListQuery, OpError> {
        let before = args.cursor.as_deref().map(read_cursor).transpose()?;
        Ok(ListQuery { flow: args.flow, status: args.status.map(Into::into), before, limit: args.limit })
    }
}

impl From<StatusFilterDto> for StatusFilter {
    fn from(dto: StatusFilterDto) -> StatusFilter {
        match dto {
            StatusFilterDto::Running => StatusFilter::Running,
            StatusFilterDto::Waiting => StatusFilter::Waiting,
            StatusFilterDto::AwaitingSignal => StatusFilter::AwaitingSignal,
            StatusFilterDto::Paused => StatusFilter::Paused,
            StatusFilterDto::Completed => StatusFilter::Completed,
            StatusFilterDto::Failed => StatusFilter::Failed,
            StatusFilterDto::Cancelled => StatusFilter::Cancelled,
        }
    }
}

/// A cursor is the number of the last run of the page before; to callers it is an opaque text.
fn read_cursor(cursor: &str) -> Result<RunNo, OpError> {
    cursor.parse().map(RunNo).map_err(|_| {
        let message =
            format!("The cursor {cursor:?} is not one that list() answered; pass the cursor of the page before");
        OpError::new(ErrorCode::Argument, message)
    })
}

/// Answer of `list`.
#[derive(Debug, Serialize)]
pub struct ListDto {
    runs: Vec<StatusDto>,
    cursor: Option<String>,
}

impl From<RunPage> for ListDto {
    fn from(page: RunPage) -> ListDto {
        ListDto {
            runs: page.runs.into_iter().map(StatusDto::from).collect(),
            cursor: page.next.map(|run| run.to_string()),
        }
    }
}

/// Answer of `history`.
#[derive(Debug, Serialize)]
pub struct HistoryDto {
    entries: Vec<HistoryEntryDto>,
}

/// One line of a run's history.
#[derive(Debug, Serialize)]
struct HistoryEntryDto {
    at: Millis,
    kind: &'static str,
    path: Option<Path>,
    attempt: Option<u32>,
    code: Option<&'static str>,
    message: Option<String>,
    detail: Option<Box<RawValue>>,
}

impl TryFrom<Vec<HistoryRecord>> for HistoryDto {
    type Error = OpError;

    fn try_from(records: Vec<HistoryRecord>) -> Result<HistoryDto, OpError> {
        Ok(HistoryDto { entries: records.into_iter().map(entry).collect::<Result<_, _>>()? })
    }
}

fn entry(HistoryRecord { at, entry }: HistoryRecord) -> Result<HistoryEntryDto, OpError> {
    match entry {
        ResultRecord::Result { path, attempt } => Ok(HistoryEntryDto {
            at,
            kind: if path.is_run_input() { "started" } else { "nodeCompleted" },
            path: Some(path).filter(|path| !path.is_run_input()),
            attempt: Some(attempt).filter(|attempt| *attempt > 0),
            code: None,
            message: None,
            detail: None,
        }),
        ResultRecord::Event(HistoryEvent { kind, path, failure, detail }) => {
            let detail = detail.map(RawValue::from_string).transpose().map_err(|error| {
                OpError::new(ErrorCode::StoreCorrupt, format!("A line of the history is not JSON: {error}"))
            })?;
            Ok(HistoryEntryDto {
                at,
                kind: kind.as_str(),
                path,
                attempt: failure.as_ref().map(|failure| failure.attempt).filter(|attempt| *attempt > 0),
                code: failure.as_ref().map(|failure| failure.code.as_str()),
                message: failure.map(|failure| failure.message),
                detail,
            })
        }
    }
}

/// Answer of `explain`.
#[derive(Debug, Serialize)]
pub struct ExplainDto {
    id: RunId,
    status: &'static str,
    summary: String,
    open: Vec<OpenDto>,
}

/// An open branch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OpenDto {
    path: Path,
    phase: &'static str,
    attempt: u32,
    failures: u32,
    due_at: Option<Millis>,
    worker: Option<String>,
    waits_for: String,
}

impl From<Explanation> for ExplainDto {
    fn from(Explanation { record, view, summary, waits_for }: Explanation) -> ExplainDto {
        let open = record.open.into_iter().zip(waits_for).map(|(branch, waits_for)| open(branch, waits_for)).collect();
        ExplainDto { id: record.id, status: status_word(&view), summary, open }
    }
}

fn open(branch: OpenView, waits_for: String) -> OpenDto {
    OpenDto {
        attempt: branch.attempt_number(),
        path: branch.state.node,
        phase: match branch.state.phase {
            Phase::Ready => "ready",
            Phase::Backoff { .. } => "backoff",
            Phase::Sleeping { .. } => "sleeping",
            Phase::Awaiting { .. } => "awaiting",
            Phase::Joining { .. } => "joining",
            Phase::Deadline { .. } => "deadline",
        },
        failures: branch.state.failures,
        due_at: branch.due_at,
        worker: branch.worker,
        waits_for,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dto::parse;
    use pawl_core::{Failure, HistoryKind};
    use serde_json::json;

    #[test]
    fn a_list_is_asked_for_with_the_words_of_the_statuses() {
        let args = r#"{"flow":null,"status":"awaitingSignal","cursor":"41","limit":10}"#;
        let query = ListQuery::try_from(parse::<ListArgs>("list", args).unwrap()).unwrap();
        assert_eq!(
            (query.status, query.before, query.limit),
            (Some(StatusFilter::AwaitingSignal), Some(RunNo(41)), 10)
        );
    }

    #[test]
    fn a_cursor_of_somebody_elses_making_is_refused() {
        let args = r#"{"flow":null,"status":null,"cursor":"next","limit":10}"#;
        let refused = ListQuery::try_from(parse::<ListArgs>("list", args).unwrap()).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Argument);
    }

    #[test]
    fn a_history_tells_results_and_events_in_one_form() {
        let failure =
            Failure { code: ErrorCode::StepFailed, path: None, attempt: 2, message: "no".into(), cause: None };
        let event = HistoryEvent {
            kind: HistoryKind::AttemptFailed,
            path: Some("charge".into()),
            failure: Some(failure),
            detail: Some(r#"{"retryAt":7}"#.into()),
        };
        let records = vec![
            HistoryRecord { at: Millis(1), entry: ResultRecord::Result { path: Path::run_input(), attempt: 0 } },
            HistoryRecord { at: Millis(2), entry: ResultRecord::Event(event) },
            HistoryRecord { at: Millis(3), entry: ResultRecord::Result { path: "charge".into(), attempt: 3 } },
        ];
        // Through the text, as JavaScript gets it: a raw value has no other form.
        let text = serde_json::to_string(&HistoryDto::try_from(records).unwrap()).unwrap();
        let unset = json!(null);
        let expected = json!({ "entries": [
            { "at": 1, "kind": "started", "path": unset, "attempt": unset, "code": unset, "message": unset, "detail": unset },
            { "at": 2, "kind": "attemptFailed", "path": "charge", "attempt": 2, "code": "PAWL_STEP_FAILED",
              "message": "no", "detail": { "retryAt": 7 } },
            { "at": 3, "kind": "nodeCompleted", "path": "charge", "attempt": 3, "code": unset, "message": unset, "detail": unset },
        ] });
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
    }
}
