//! The operations that JavaScript can ask for, one file per family. Each reads its arguments, asks the engine and puts
//! the answer into data; no engine rule lives here.

mod connect;
mod read;
mod run;
mod worker;

use crate::client::Client;
use crate::error::OpError;
use crate::message::Answer;
use pawl_core::Payload;

/// Does one operation.
///
/// # Errors
/// What the operation says; see the list of error codes.
pub async fn perform(client: &Client, op: &str, args: &str, payload: Option<Payload>) -> Result<Answer, OpError> {
    match op {
        "connect" => connect::connect(client, args).await,
        "close" => connect::close(client).await,
        "register" => run::register(client, args).await,
        "start" => run::start(client, args, payload).await,
        "signal" => run::signal(client, args, payload).await,
        "cancel" => run::cancel(client, args).await,
        "pause" => run::pause(client, args).await,
        "resume" => run::resume(client, args).await,
        "status" => read::status(client, args).await,
        "result" => read::result(client, args).await,
        "list" => read::list(client, args).await,
        "history" => read::history(client, args).await,
        "explain" => read::explain(client, args).await,
        "output" => read::output(client, args).await,
        "workerStart" => worker::start(client, args).await,
        "workerStop" => worker::stop(client, args).await,
        "run" => worker::run(client, args, payload).await,
        "drive" => worker::drive(client, args).await,
        "health" => worker::health(client, args),
        _ => Err(OpError::internal(format!("There is no operation \"{op}\""))),
    }
}

/// A value that an operation cannot do without; `null` stands for one that JavaScript did not pass.
fn value(payload: Option<Payload>) -> Payload {
    payload.unwrap_or_else(|| Payload::json("null"))
}
