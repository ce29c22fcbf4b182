//! Registering, starting, signalling and controlling.

use super::value;
use crate::client::Client;
use crate::dto::flow::{RegisterArgs, RegisterReply};
use crate::dto::parse;
use crate::dto::run::{ResumeArgs, SignalArgs, SignalDto, StartArgs, StartDto, StopArgs};
use crate::error::OpError;
use crate::message::Answer;
use pawl_core::run::Control;
use pawl_core::{Payload, RunId};
use pawl_runtime::StartRequest;

pub async fn register(client: &Client, args: &str) -> Result<Answer, OpError> {
    let args: RegisterArgs = parse("register", args)?;
    let flow = client.connected()?.engine.register(args.definition.get()).await?;
    Answer::data(&RegisterReply { hash: flow.hash.clone() })
}

pub async fn start(client: &Client, args: &str, payload: Option<Payload>) -> Result<Answer, OpError> {
    let StartArgs { flow, hash, id, on_conflict } = parse("start", args)?;
    let request = StartRequest { flow, hash, id: id.clone(), input: value(payload), on_conflict: on_conflict.into() };
    let reply = client.connected()?.engine.start(request).await?;
    Answer::data(&StartDto { id, run: reply.run, existing: reply.existing, hash: reply.hash })
}

pub async fn signal(client: &Client, args: &str, payload: Option<Payload>) -> Result<Answer, OpError> {
    let SignalArgs { id, name, key } = parse("signal", args)?;
    let duplicate = client.connected()?.engine.signal(id, &name, value(payload), key).await?;
    Answer::data(&SignalDto { duplicate })
}

pub async fn cancel(client: &Client, args: &str) -> Result<Answer, OpError> {
    let StopArgs { id, reason, by } = parse("cancel", args)?;
    control(client, id, Control::Cancel { reason, by }).await
}

pub async fn pause(client: &Client, args: &str) -> Result<Answer, OpError> {
    let StopArgs { id, reason, by } = parse("pause", args)?;
    control(client, id, Control::Pause { reason, by }).await
}

pub async fn resume(client: &Client, args: &str) -> Result<Answer, OpError> {
    let ResumeArgs { id, by } = parse("resume", args)?;
    control(client, id, Control::Resume { by }).await
}

async fn control(client: &Client, id: RunId, control: Control) -> Result<Answer, OpError> {
    client.connected()?.engine.control(id, control).await?;
    Ok(Answer::done())
}
