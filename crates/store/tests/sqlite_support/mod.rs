//! What the tests of the SQLite store share.
#![allow(dead_code, reason = "each test file uses some of it")]

pub mod process;

use pawl_core::flow::{Definition, NodeDefinition, NodeShape};
use pawl_core::turn::{Claimed, Outcome, apply, start as begin};
use pawl_core::{BranchCommit, Commit, Flow, Payload, RunNo, SessionNo};
use pawl_store::{
    ClaimAsk, ClaimFilter, Committed, FlowRecord, NewRun, OnConflict, Refused, SessionSpec, SqliteOptions, SqliteStore,
    Started, Store,
};
use std::path::PathBuf;
use tempfile::TempDir;

/// A directory for one database.
pub struct Place {
    pub dir: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place { dir: tempfile::tempdir().unwrap() }
    }

    pub fn file(&self) -> PathBuf {
        self.dir.path().join("runs.db")
    }

    pub fn open(&self) -> SqliteStore {
        self.open_with(SqliteOptions::default())
    }

    pub fn open_with(&self, options: SqliteOptions) -> SqliteStore {
        SqliteStore::open(self.file(), options).unwrap()
    }

    /// The file as a tool would open it.
    pub fn plain(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
    }
}

pub fn json(text: &str) -> Payload {
    Payload::json(text.to_owned())
}

/// A chain of steps.
pub fn chain(name: &str, steps: &[&str]) -> Flow {
    let step = |name: &&str| node("", name, NodeShape::Step { retry: Default::default(), timeout_ms: None });
    build(name, steps.iter().map(step).collect())
}

pub fn build(name: &str, nodes: Vec<NodeDefinition>) -> Flow {
    Definition { name: name.into(), deadline_ms: None, nodes }.build().unwrap()
}

pub fn node(scope: &str, name: &str, shape: NodeShape) -> NodeDefinition {
    NodeDefinition { scope: scope.into(), name: name.into(), shape }
}

pub async fn register(store: &SqliteStore, flow: Flow) -> Flow {
    let record = FlowRecord { hash: flow.hash.clone(), name: flow.name.to_string(), definition: "{}".into() };
    store.register_flows(vec![record]).await.unwrap();
    flow
}

pub async fn session(store: &SqliteStore, worker: &str) -> SessionNo {
    store.open_session(SessionSpec { worker: worker.into(), ttl_ms: 20_000 }).await.unwrap()
}

pub fn new_run(store: &SqliteStore, flow: &Flow, id: &str) -> NewRun {
    NewRun {
        id: id.into(),
        flow: flow.hash.clone(),
        input: json("1"),
        branches: begin(flow, store.clock().now()),
        deadline_at: None,
        on_conflict: OnConflict::Fail,
        keep: None,
    }
}

pub async fn start(store: &SqliteStore, flow: &Flow, id: &str) -> RunNo {
    match store.start(vec![new_run(store, flow, id)]).await.unwrap().remove(0).unwrap() {
        Started::New { run, .. } => run,
        Started::Existing { run } => panic!("{id} exists already as {run}"),
    }
}

pub async fn claim(store: &SqliteStore, session: SessionNo, flow: &Flow, limit: usize) -> Vec<Claimed> {
    let filter = ClaimFilter::Flows(vec![flow.hash.clone()]);
    store.claim(ClaimAsk { session, filter, limit }).await.unwrap().claimed
}

pub async fn claim_one(store: &SqliteStore, session: SessionNo, flow: &Flow) -> Claimed {
    claim(store, session, flow, 1).await.remove(0)
}

/// The commit of a step that returned this.
pub fn success(flow: &Flow, claimed: &Claimed, output: &str, keep: Option<(SessionNo, usize)>) -> Commit {
    let decision = apply(flow, claimed, Outcome::Succeeded(json(output)), pawl_core::Millis(0));
    let (run, scope, fence) = (claimed.run, claimed.scope.clone(), claimed.fence);
    Commit::Branch(BranchCommit { run, scope, fence, decision, keep })
}

pub async fn succeed(
    store: &SqliteStore,
    flow: &Flow,
    claimed: &Claimed,
    output: &str,
    keep: Option<(SessionNo, usize)>,
) -> Result<Committed, Refused> {
    store.commit(vec![success(flow, claimed, output, keep)]).await.unwrap().remove(0)
}
