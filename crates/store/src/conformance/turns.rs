//! Whole runs, turn by turn, as a worker drives them.

use super::fixture::*;
use super::pieces::*;
use pawl_core::RunState;

pub async fn a_run_goes_through_all_kinds_of_nodes_to_its_end(t: Fixture) {
    let branches = [("email", vec![step("send")]), ("ship", vec![step("pick"), delay("dock", 7_200), step("pack")])];
    let pieces = [step("charge"), joined("combine", branches), patient("approval", "ok", 90_000), step("finish")];
    let flow = t.flow("checkout", pieces).await;
    let run = t.start(&flow, "order-1").await;
    t.work_off(&flow).await;
    t.clock.advance(7_200);
    t.work_off(&flow).await;
    t.signal("order-1", "ok", "true").await;
    t.work_off(&flow).await;
    assert_eq!(t.state(run).await, RunState::Completed { output: "finish".into() });
    let expected = [
        "#0",
        "charge#1",
        "email/send#1",
        "ship/pick#1",
        "ship/dock#0",
        "ship/pack#1",
        "combine#1",
        "approval#0",
        "finish#1",
    ];
    assert_eq!(t.told(run).await, expected);
    assert_eq!(t.result(run, "ship/dock").await, Some(json("\"output of ship/pick\"")));
}

pub async fn a_long_run_keeps_every_result(t: Fixture) {
    const NAMES: [&str; 26] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v",
        "w", "x", "y", "z",
    ];
    let flow = t.flow("long", NAMES.map(step)).await;
    let session = t.session().await;
    let run = t.start(&flow, "order-1").await;
    let mut claimed = t.claim_one(session, &flow).await;
    loop {
        let mut committed = t.succeed_keeping(&flow, &claimed, session, 1).await;
        match committed.kept.pop() {
            Some(next) => claimed = next,
            None => break assert!(committed.ended),
        }
    }
    for name in NAMES {
        assert_eq!(t.result(run, name).await, Some(json(&format!("\"output of {name}\""))));
    }
}
