//! Stored definitions.

use super::fixture::*;
use super::pieces::*;
use crate::{FlowLookup, FlowRecord};
use pawl_core::FlowHash;

pub async fn a_definition_is_found_by_its_hash_and_its_name(t: Fixture) {
    let flow = t.flow("checkout", [step("charge")]).await;
    t.flow("refund", [step("charge")]).await;
    let by_hash = find(&t, FlowLookup::Hash(flow.hash.clone())).await.expect("stored");
    assert_eq!((by_hash.hash.clone(), by_hash.name.as_str()), (flow.hash, "checkout"));
    assert!(by_hash.definition.contains("charge"), "{}", by_hash.definition);
    assert_eq!(find(&t, FlowLookup::Name("checkout".into())).await, Some(by_hash));
}

pub async fn an_unknown_definition_is_not_found(t: Fixture) {
    t.flow("checkout", [step("charge")]).await;
    assert_eq!(find(&t, FlowLookup::Name("Checkout".into())).await, None);
    assert_eq!(find(&t, FlowLookup::Hash(FlowHash::from("0".repeat(32)))).await, None);
}

pub async fn a_name_stands_for_the_shape_registered_last(t: Fixture) {
    let first = t.flow("checkout", [step("charge")]).await;
    let second = t.flow("checkout", [step("charge"), step("ship")]).await;
    assert_ne!(first.hash, second.hash);
    assert_eq!(newest(&t).await, second.hash);
    // An older version of the program starts once more.
    t.flow("checkout", [step("charge")]).await;
    assert_eq!(newest(&t).await, first.hash);
    let both = [&first, &second].map(|flow| FlowLookup::Hash(flow.hash.clone()));
    for lookup in both {
        assert!(find(&t, lookup).await.is_some());
    }
}

pub async fn registering_again_updates_the_text(t: Fixture) {
    let slow = t.flow("checkout", [timed("charge", 9_000)]).await;
    let fast = t.flow("checkout", [timed("charge", 50)]).await;
    assert_eq!(slow.hash, fast.hash, "tuning is no part of the shape");
    let stored = find(&t, FlowLookup::Hash(fast.hash)).await.expect("stored");
    assert!(stored.definition.contains("50") && !stored.definition.contains("9000"), "{}", stored.definition);
}

async fn find(t: &Fixture, lookup: FlowLookup) -> Option<FlowRecord> {
    t.store.find_flow(lookup).await.expect("the store answers")
}

async fn newest(t: &Fixture) -> FlowHash {
    find(t, FlowLookup::Name("checkout".into())).await.expect("stored").hash
}
