//! The end of a store.

use super::fixture::*;
use super::pieces::*;
use crate::{ListQuery, SessionSpec, StoreError};
use pawl_core::RunNo;

pub async fn a_closed_store_answers_every_call_as_closed(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    let claimed = t.claim_one(session, &flow).await;
    let cancel = t.control_of("order-1", pawl_core::run::Control::Cancel { reason: None, by: None }).await;
    t.store.close().await.expect("closed");

    let closed = StoreError::closed();
    let store = &t.store;
    assert_eq!(store.start(vec![t.new_run(&flow, "order-2")]).await, Err(closed.clone()));
    assert_eq!(store.commit(vec![cancel]).await, Err(closed.clone()));
    assert_eq!(store.signal(vec![new_signal("order-1", "ok", "1", None)]).await, Err(closed.clone()));
    let hand_back = crate::HandBack { run: claimed.run, scope: claimed.scope, fence: claimed.fence, started: false };
    assert_eq!(store.hand_back(vec![hand_back]).await, Err(closed.clone()));
    assert_eq!(store.held(session).await, Err(closed.clone()));
    assert_eq!(store.heartbeat(session, TTL_MS).await, Err(closed.clone()));
    assert_eq!(store.reap().await, Err(closed.clone()));
    assert_eq!(store.close_session(session).await, Err(closed.clone()));
    let spec = SessionSpec { worker: "late".into(), ttl_ms: TTL_MS };
    assert_eq!(store.open_session(spec).await, Err(closed.clone()));
    assert_eq!(store.run("order-1".into()).await, Err(closed.clone()));
    assert_eq!(store.states(vec![run]).await, Err(closed.clone()));
    assert_eq!(store.results(run, vec!["".into()]).await, Err(closed.clone()));
    assert_eq!(store.history(RunNo(1)).await, Err(closed.clone()));
    assert_eq!(store.list(ListQuery { limit: 1, ..ListQuery::default() }).await, Err(closed));
}

pub async fn a_store_can_be_closed_twice(t: Fixture) {
    t.store.close().await.expect("closed");
    t.store.close().await.expect("closing twice is nothing");
}

pub async fn what_was_asked_before_the_close_is_done(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let asked: Vec<_> = (0..20).map(|at| t.store.start(vec![t.new_run(&flow, &format!("order-{at}"))])).collect();
    t.store.close().await.expect("closed");
    for answer in asked {
        assert!(matches!(answer.await.as_deref(), Ok([Ok(crate::Started::New { .. })])));
    }
}
