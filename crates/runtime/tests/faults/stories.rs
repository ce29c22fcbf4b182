//! What storms have found, told one by one.

use crate::clients::request;
use crate::executor::{Erratic, Handle};
use crate::ledger::Ledger;
use crate::rigged::{Fault, Rigged};
use crate::rng::Rng;
use crate::weather::Weather;
use crate::{dreaming, soon};
use pawl_core::flow::Flow;
use pawl_core::run::RunView;
use pawl_core::{Millis, RunId};
use pawl_runtime::{Engine, Worker, WorkerOptions};
use pawl_store::{ManualClock, MemoryStore};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::sleep;

const TTL_MS: u64 = 1_000;

/// One process with one worker, whose function runs until the story ends it.
struct Story {
    store: Arc<Rigged>,
    engine: Engine,
    flow: Arc<Flow>,
    ledger: Arc<Ledger>,
    executor: Arc<Erratic>,
    _worker: Worker,
}

impl Story {
    async fn begin() -> Story {
        let clock = Arc::new(ManualClock::at(Millis(1_000_000)));
        let store = Rigged::new(Arc::new(MemoryStore::new(clock)));
        let engine = Engine::new(store.clone());
        let nodes = r#"{ "name": "work", "nodes": [{ "scope": "", "name": "probe", "kind": "step" }] }"#;
        let flow = engine.register(nodes).await.unwrap();
        let ledger = Arc::<Ledger>::default();
        let executor = Erratic::new(0, ledger.clone(), Rng::new(0, 0));
        executor.calm.store(true, Ordering::SeqCst);
        let options = WorkerOptions {
            name: "ada".into(),
            flows: vec![flow.clone()],
            concurrency: 8,
            claim_ttl_ms: TTL_MS as i64,
            event_loop_budget_ms: 1_000_000,
        };
        let _worker = engine.worker(options, Arc::new(Handle(executor.clone()))).await.unwrap();
        Story { store, engine, flow, ledger, executor, _worker }
    }

    async fn start(&self) {
        self.engine.start(request(&self.flow, &RunId::from("run"))).await.unwrap();
    }

    async fn completes(&self) {
        let end = soon("the end of the run", self.engine.result("run".into(), None)).await.unwrap();
        assert!(matches!(end.view, RunView::Completed { .. }), "{:?}", end.view);
        assert_eq!(self.ledger.broken(), Vec::<String>::new());
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn a_result_is_stored_before_the_lost_session_it_was_brought_under_is_closed() {
    dreaming(async {
        let story = Story::begin().await;
        story.start().await;
        sleep(ms(10)).await;
        story.store.set_away(true);
        story.executor.finish_probes();
        sleep(ms(2 * TTL_MS)).await;
        // The store is back, but not for the first who asks.
        story.store.break_next("commit", [Fault::Fail]);
        story.store.set_away(false);
        story.completes().await;
        assert_eq!(story.ledger.begun_count(), 1, "its function had succeeded");
    });
}

#[test]
fn what_was_begun_under_a_lost_session_is_counted_before_the_session_is_closed() {
    dreaming(async {
        let story = Story::begin().await;
        story.start().await;
        sleep(ms(10)).await;
        story.store.set_away(true);
        sleep(ms(2 * TTL_MS)).await;
        story.store.break_next("hand_back", [Fault::Fail]);
        story.store.set_away(false);
        sleep(ms(5 * TTL_MS)).await;
        assert_eq!(story.ledger.begun_count(), 2, "nobody answered for the first one");
        story.executor.finish_probes();
        story.completes().await;
    });
}

#[test]
fn a_worker_whose_tenure_is_over_takes_nothing_on_until_it_knows_whether_its_session_is() {
    dreaming(async {
        let story = Story::begin().await;
        let weather = Weather::new(Rng::new(0, 0));
        story.store.set_weather(Box::new(move |call| match call {
            // Asked from a quarter of the lifetime on, every 70 ms: no answer comes at its end, but shortly after.
            "heartbeat" => Some(Fault::Late { before: ms(20), after: ms(0), lost: true }),
            _ => weather.lock().unwrap().fault(),
        }));
        sleep(ms(TTL_MS + 5)).await;
        let claims = story.store.count("claim");
        story.start().await;
        sleep(ms(5)).await;
        assert_eq!((story.store.count("claim"), story.ledger.begun_count()), (claims, 0));
        sleep(ms(TTL_MS / 2)).await;
        assert_eq!(story.ledger.begun_count(), 1, "it has a new session");
        story.executor.finish_probes();
        story.completes().await;
    });
}
