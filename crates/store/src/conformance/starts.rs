//! New runs.

use super::fixture::*;
use super::pieces::*;
use crate::{Refused, StartRefusal, Started};
use pawl_core::{FlowHash, Path, Payload, Phase, RunState, Scope};

pub async fn a_started_run_shows_its_input_and_its_first_branch(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let run = t.start(&flow, "order-1").await;
    let record = t.record("order-1").await;
    assert_eq!((record.run, record.id.as_str(), record.flow_name.as_str()), (run, "order-1", "checkout"));
    assert_eq!((record.flow, record.state), (flow.hash.clone(), RunState::Running));
    assert_eq!((record.created_at, record.ended_at, record.deadline_at), (t.now(), None, None));
    assert_eq!(record.open.len(), 1, "{:?}", record.open);
    let main = &record.open[0];
    assert_eq!((main.scope.clone(), main.state.node.as_str()), (Scope::root(), "charge"));
    assert_eq!((main.claimed, main.attempt, main.due_at), (false, 0, Some(t.now())));
    assert_eq!(t.result(run, "").await, Some(input_of("order-1")));
}

pub async fn a_run_of_a_flow_that_was_never_registered_is_refused(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    let mut new = t.new_run(&flow, "order-1");
    new.flow = FlowHash::from("0".repeat(32));
    assert_eq!(t.try_start(new).await, Err(StartRefusal::FlowUnknown));
    assert_eq!(t.store.run("order-1".into()).await, Ok(None));
}

pub async fn a_new_run_can_be_kept_by_the_session_that_starts_it(t: Fixture) {
    let flow = t.flow("checkout", [timed("charge", 500)]).await;
    let session = t.session().await;
    let mut new = t.new_run(&flow, "order-1");
    new.keep = Some((session, 1));
    let Ok(Started::New { kept, .. }) = t.try_start(new).await else { panic!("a new run was expected") };
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0].input, Some(input_of("order-1")));
    assert_eq!((kept[0].attempt, kept[0].deadline_at), (1, Some(t.now().plus(500))));
    t.expect_nothing_due(&flow).await;
    assert!(t.succeed(&flow, &kept[0]).await.ended);
}

pub async fn what_a_start_does_not_keep_is_handed_out(t: Fixture) {
    let branches = [("a", vec![step("x")]), ("b", vec![step("x")]), ("c", vec![delay("nap", 500)])];
    let flow = t.flow("wide", [joined("all", branches)]).await;
    let mut new = t.new_run(&flow, "order-1");
    new.keep = Some((t.session().await, 1));
    let Ok(Started::New { kept, .. }) = t.try_start(new).await else { panic!("a new run was expected") };
    assert_eq!(kept.len(), 1, "{kept:?}");
    let rest = t.claim_one(t.session().await, &flow).await;
    assert_ne!(rest.scope, kept[0].scope);
}

pub async fn a_run_that_begins_with_a_fork_begins_all_its_branches(t: Fixture) {
    let inner = joined("in", [("x", vec![step("work")]), ("y", vec![step("work")])]);
    let flow = t.flow("nested", [joined("out", [("l", vec![inner]), ("r", vec![step("work")])])]).await;
    t.start(&flow, "order-1").await;
    let open: Vec<(String, bool)> = t
        .record("order-1")
        .await
        .open
        .into_iter()
        .map(|branch| (branch.scope.to_string(), matches!(branch.state.phase, Phase::Joining { missing: 2 })))
        .collect();
    let expected = [("", true), ("l", true), ("l/x", false), ("l/y", false), ("r", false)];
    assert_eq!(open, expected.map(|(scope, joining)| (scope.to_owned(), joining)));
    assert_eq!(t.claim(t.session().await, &flow, 10).await.len(), 3);
}

pub async fn a_refused_start_does_not_touch_its_neighbours(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.start(&flow, "taken").await;
    let batch = ["first", "taken", "last", "first"].map(|id| t.new_run(&flow, id));
    let answers = t.store.start(batch.into()).await.expect("the store answers");
    assert!(matches!(answers[0], Ok(Started::New { .. })), "{answers:?}");
    assert_eq!(answers[1], Err(StartRefusal::Exists { state: RunState::Running }));
    assert!(matches!(answers[2], Ok(Started::New { .. })), "{answers:?}");
    assert_eq!(answers[3], Err(StartRefusal::Exists { state: RunState::Running }));
    assert_eq!(t.claim(t.session().await, &flow, 10).await.len(), 3);
}

pub async fn values_come_back_byte_for_byte(t: Fixture) {
    let flow = t.flow("checkout", [step("charge"), step("ship")]).await;
    let session = t.session().await;
    let odd = [
        Payload { codec: 1, bytes: "{\"$t\":\"undefined\"}".into() },
        Payload { codec: 0, bytes: "".into() },
        Payload { codec: 7, bytes: vec![0, 255, 128, 10, 0].into() },
        Payload { codec: 0, bytes: vec![b'x'; 1 << 20].into() },
    ];
    for (at, value) in odd.into_iter().enumerate() {
        let mut new = t.new_run(&flow, &format!("order-{at}"));
        new.input = value.clone();
        let Ok(Started::New { run, .. }) = t.try_start(new).await else { panic!("a new run was expected") };
        let charge = t.claim_one(session, &flow).await;
        assert!(charge.input == Some(value.clone()), "the input of value {at} came back changed");
        let decision = t.decide(&flow, &charge, pawl_core::turn::Outcome::Succeeded(value.clone()));
        t.commit(turn_of(&charge, decision, None)).await.expect("the claim is good");
        let ship = t.claim_one(session, &flow).await;
        assert!(ship.input == Some(value.clone()), "the output of value {at} came back changed");
        let stored = t.store.results(run, vec![Path::run_input(), "charge".into()]).await.expect("the store answers");
        assert!(stored == [Some(value.clone()), Some(value)], "value {at} was stored changed");
        assert_eq!(t.succeed(&flow, &ship).await, crate::Committed { ended: true, ..Default::default() });
    }
}

pub async fn names_and_ids_of_any_script_are_told_apart(t: Fixture) {
    let flow = t.flow("Zahlung ✓", [step("bezahlen 💶"), step("Ä"), step("ä")]).await;
    let ids = ["order", "ORDER", "órder", "o%", "o_", "'; DROP TABLE x; --", "\u{1F600}", "a b"];
    for id in ids {
        t.start(&flow, id).await;
    }
    t.work_off(&flow).await;
    for id in ids {
        let record = t.record(id).await;
        assert_eq!((record.id.as_str(), record.state), (id, RunState::Completed { output: "ä".into() }));
        assert_eq!(t.result(record.run, "").await, Some(input_of(id)));
    }
    let stranger = turn_of_nobody(&t, &flow).await;
    assert_eq!(t.commit(stranger).await, Err(Refused::StaleFence));
}

/// A commit for a run that does not exist.
async fn turn_of_nobody(t: &Fixture, flow: &pawl_core::Flow) -> pawl_core::Commit {
    t.start(flow, "somebody").await;
    let mut claimed = t.claim_one(t.session().await, flow).await;
    claimed.run = pawl_core::RunNo(i64::MAX);
    turn_of(&claimed, t.decide(flow, &claimed, pawl_core::turn::Outcome::TimedOut), None)
}
