//! A run from start to end in an SQLite file.

mod sqlite_support;

use pawl_store::Store;
use sqlite_support::*;

#[tokio::test]
async fn a_run_of_two_steps_goes_from_start_to_end() {
    let place = Place::new();
    let store = place.open();
    let flow = register(&store, chain("order", &["charge", "ship"])).await;
    let session = session(&store, "host-1").await;
    start(&store, &flow, "order-1").await;

    let first = claim_one(&store, session, &flow).await;
    assert_eq!((first.scope.as_str(), first.attempt), ("", 1));
    assert_eq!(first.input.as_ref().map(|input| &input.bytes[..]), Some(&b"1"[..]));
    let committed = succeed(&store, &flow, &first, "2", Some((session, 1))).await.unwrap();
    let [second] = &committed.kept[..] else { panic!("{committed:?}") };
    assert_eq!((second.state.node.as_str(), &second.input), ("ship", &None));
    let committed = succeed(&store, &flow, second, "3", None).await.unwrap();
    assert!(committed.ended);

    let run = store.run("order-1".into()).await.unwrap().unwrap();
    assert_eq!(run.state, pawl_core::RunState::Completed { output: "ship".into() });
    assert_eq!(store.results(run.run, vec!["ship".into()]).await.unwrap(), [Some(json("3"))]);
    assert_eq!(store.history(run.run).await.unwrap().len(), 3);
    store.close().await.unwrap();
}
