//! Results are pushed; a thousand waiters are no burden.

use crate::support::{Script, World, json, options, soon};
use pawl_core::ErrorCode;
use pawl_core::run::RunView;
use pawl_runtime::Polling;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_run_that_is_over_answers_at_once_and_one_that_is_not_says_so_in_time() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let error = world.engine.result("run".into(), None).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::RunNotFound);
    world.start(&flow, "run").await;
    let error = world.engine.result("run".into(), Some(0)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ResultTimeout);
    world.cancel("run").await;
    let status = world.engine.result("run".into(), Some(0)).await.unwrap();
    assert!(matches!(status.view, RunView::Cancelled { .. }));
}

#[tokio::test]
async fn a_thousand_waiters_are_one_question_after_a_change_in_another_process() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    let mut waiters = Vec::new();
    for run in 0..1_000 {
        world.start(&flow, &format!("run-{run}")).await;
        waiters.push(world.waiter(&format!("run-{run}")).await);
    }
    let (asked, began) = (world.store.count("states"), Instant::now());

    for _ in 0..1_000 {
        world.store.foreign_change();
        tokio::task::yield_now().await;
    }
    let neighbour = world.neighbour();
    let script = Script::new();
    let _worker = neighbour.worker(options(&[&flow]), &script).await;
    for run in 0..1_000 {
        neighbour.output(&format!("run-{run}")).await;
    }
    world.store.foreign_change();
    for waiter in waiters {
        assert_eq!(soon("the result", waiter).await.unwrap().unwrap().payload, Some(json("1")));
    }
    // At most a question every twenty milliseconds for all of them, however many there are.
    let shared = world.store.count("states") - asked;
    let limit = 10 + began.elapsed().as_millis() / 20;
    assert!((shared as u128) < limit, "{shared} questions for a thousand waiters");
}

/// The neighbour's changes give no sign here, as if every one of them had been lost.
#[tokio::test]
async fn what_a_lost_sign_would_have_told_is_found_by_asking() {
    let often = Duration::from_millis(20);
    let world = World::polling(Polling { interval_min: often, interval_max: often });
    let flow = world.steps("work", &["one", "two"]).await;
    world.start(&flow, "ended elsewhere").await;
    let waiter = world.waiter("ended elsewhere").await;
    world.store.deafen();
    let neighbour = world.neighbour();
    neighbour.cancel("ended elsewhere").await;
    soon("the result", waiter).await.unwrap().unwrap();

    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    neighbour.start(&flow, "started elsewhere").await;
    script.start("one", 1).await;
    assert_eq!(world.output("started elsewhere").await, "1");
}

#[tokio::test]
async fn a_wait_that_is_given_up_leaves_nothing_behind() {
    let world = World::new();
    let flow = world.steps("work", &["one"]).await;
    world.start(&flow, "run").await;
    for _ in 0..100 {
        world.engine.result("run".into(), Some(1)).await.unwrap_err();
    }
    let script = Script::new();
    let _worker = world.worker(options(&[&flow]), &script).await;
    assert_eq!(world.output("run").await, "1");
}
