//! Opening and closing.

use crate::client::{Client, Connected};
use crate::dto::connect::{ConnectArgs, StoreUrl};
use crate::dto::parse;
use crate::error::OpError;
use crate::message::Answer;
use crate::threads;
use pawl_runtime::{Engine, EngineError};
use pawl_store::{MemoryStore, SqliteOptions, SqliteStore, Store, SystemClock};
use std::sync::Arc;

/// What a connection is called that did not say how it wants to be called.
const DEFAULT_NAME: &str = "pawl";

pub async fn connect(client: &Client, args: &str) -> Result<Answer, OpError> {
    let args: ConnectArgs = parse("connect", args)?;
    let store = open(StoreUrl::parse(&args.url)?).await?;
    let engine = Engine::on_runtime(store, threads::runtime()?.handle().clone());
    client.connect(Connected { engine, name: args.client_name.unwrap_or_else(|| DEFAULT_NAME.into()) })?;
    Ok(Answer::done())
}

async fn open(url: StoreUrl) -> Result<Arc<dyn Store>, OpError> {
    match url {
        StoreUrl::Memory => Ok(Arc::new(MemoryStore::new(Arc::new(SystemClock)))),
        StoreUrl::Sqlite(file) => {
            // Opening reads and writes the file, and may wait for other processes.
            let opening = threads::runtime()?.spawn_blocking(|| SqliteStore::open(file, SqliteOptions::default()));
            let opened =
                opening.await.map_err(|error| OpError::internal(format!("Opening a database broke off: {error}")))?;
            Ok(Arc::new(opened.map_err(EngineError::from)?))
        }
    }
}

pub async fn close(client: &Client) -> Result<Answer, OpError> {
    client.connected()?.engine.close().await;
    Ok(Answer::done())
}
