//! Reading.

use crate::client::Client;
use crate::dto::parse;
use crate::dto::read::{ExplainDto, HistoryDto, IdArgs, ListArgs, ListDto, OutputArgs, OutputDto, ResultArgs};
use crate::dto::status::StatusDto;
use crate::error::OpError;
use crate::message::Answer;
use pawl_runtime::RunStatus;

pub async fn status(client: &Client, args: &str) -> Result<Answer, OpError> {
    let IdArgs { id } = parse("status", args)?;
    answer(client.connected()?.engine.status(id).await?)
}

pub async fn result(client: &Client, args: &str) -> Result<Answer, OpError> {
    let ResultArgs { id, timeout_ms } = parse("result", args)?;
    answer(client.connected()?.engine.result(id, timeout_ms).await?)
}

/// A status with its output or its cause.
pub fn answer(mut status: RunStatus) -> Result<Answer, OpError> {
    let payload = status.payload.take();
    Answer::with(&StatusDto::from(status), payload)
}

pub async fn list(client: &Client, args: &str) -> Result<Answer, OpError> {
    let query = parse::<ListArgs>("list", args)?.try_into()?;
    Answer::data(&ListDto::from(client.connected()?.engine.list(query).await?))
}

pub async fn history(client: &Client, args: &str) -> Result<Answer, OpError> {
    let IdArgs { id } = parse("history", args)?;
    Answer::data(&HistoryDto::try_from(client.connected()?.engine.history(id).await?)?)
}

pub async fn explain(client: &Client, args: &str) -> Result<Answer, OpError> {
    let IdArgs { id } = parse("explain", args)?;
    let explanation = client.connected()?.engine.explain(id).await?;
    Answer::data(&ExplainDto::from(explanation))
}

pub async fn output(client: &Client, args: &str) -> Result<Answer, OpError> {
    let OutputArgs { run, path } = parse("output", args)?;
    let payload = client.connected()?.engine.output(run, path).await?;
    Answer::with(&OutputDto { found: payload.is_some() }, payload)
}
