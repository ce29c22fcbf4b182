//! A connection without Node: the JavaScript side is played by the test.

use super::*;
use crate::doorbell::Bell;
use crate::dto::thrown::outcome;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};

/// How long an answer may take before it counts as missing.
const PATIENCE: Duration = Duration::from_secs(10);

/// The JavaScript side, played by a test: it comes when the bell rings.
struct JavaScript {
    client: Arc<Client>,
    rung: Receiver<()>,
    messages: Vec<Message>,
    last_call: i64,
}

struct Rung(Sender<()>);

impl Bell for Rung {
    fn ring(&self) -> bool {
        self.0.send(()).is_ok()
    }
}

impl JavaScript {
    fn new() -> JavaScript {
        let (client, (ring, rung)) = (Arc::new(Client::new()), channel());
        client.doorbell().mount(Box::new(Rung(ring)));
        JavaScript { client, rung, messages: Vec::new(), last_call: 0 }
    }

    fn call(&mut self, op: &str, args: Value) -> i64 {
        self.last_call += 1;
        self.client.call(self.last_call, op.into(), args.to_string(), Some(Payload::json("20")));
        self.last_call
    }

    /// The first message that is wanted; others wait.
    fn expect<T>(&mut self, wanted: impl Fn(&Message) -> Option<T>) -> T {
        loop {
            if let Some((at, found)) =
                self.messages.iter().enumerate().find_map(|(at, message)| Some((at, wanted(message)?)))
            {
                self.messages.remove(at);
                return found;
            }
            self.rung.recv_timeout(PATIENCE).expect("no message came");
            self.messages.extend(self.client.doorbell().take());
        }
    }

    fn reply(&mut self, to: i64) -> (bool, Value, Option<Payload>) {
        self.expect(|message| match message {
            Message::Reply { call, ok, json, payload } if *call == to => {
                Some((*ok, serde_json::from_str(json).unwrap(), payload.clone()))
            }
            _ => None,
        })
    }

    fn done(&mut self, op: &str, args: Value) -> (Value, Option<Payload>) {
        let call = self.call(op, args);
        let (ok, answer, payload) = self.reply(call);
        assert!(ok, "{op}: {answer}");
        (answer, payload)
    }
}

#[test]
fn a_run_goes_out_as_an_attempt_and_ends_with_its_outcome() {
    let mut js = JavaScript::new();
    let definition = json!({ "name": "double", "nodes": [{ "scope": "", "name": "twice", "kind": "step" }] });
    js.done("connect", json!({ "url": "memory:", "clientName": null }));
    js.done(
        "workerStart",
        json!({ "worker": 7, "name": "w", "flows": [definition], "concurrency": 1, "claimTtlMs": 20_000,
                "eventLoopBudgetMs": 60_000 }),
    );
    js.done("start", json!({ "flow": "double", "hash": null, "id": "run-1", "onConflict": "fail" }));
    let result = js.call("result", json!({ "id": "run-1", "timeoutMs": null }));
    let attempt = js.expect(|message| match message {
        Message::Run { worker: 7, flow_index: 0, attempt } => Some(attempt.clone()),
        _ => None,
    });
    assert_eq!((attempt.path.as_str(), attempt.attempt, attempt.input), ("twice", 1, Payload::json("20")));

    js.client.outcomes(7, vec![(attempt.id, outcome(0, "40".into()))]);
    let (ok, status, output) = js.reply(result);
    assert_eq!((ok, status["status"].as_str(), output), (true, Some("completed"), Some(Payload::json("40"))));
    assert_eq!(js.done("workerStop", json!({ "worker": 7, "drainMs": 0 })).0, json!({ "abandoned": [] }));
    js.done("close", json!({}));
}

#[test]
fn a_wrong_request_is_answered_and_harms_no_other() {
    let mut js = JavaScript::new();
    let early = js.call("status", json!({ "id": "run-1" }));
    assert_eq!(js.reply(early).1["code"], "PAWL_INTERNAL");
    js.done("connect", json!({ "url": "memory:", "clientName": null }));
    let misspelt = js.call("status", json!({ "identity": "run-1" }));
    assert_eq!(js.reply(misspelt).1["code"], "PAWL_ARGUMENT");
    let unknown = js.call("status", json!({ "id": "run-1" }));
    assert_eq!(js.reply(unknown).1["code"], "PAWL_RUN_NOT_FOUND");
}

#[test]
fn a_request_that_panics_is_answered_all_the_same() {
    let mut js = JavaScript::new();
    let ticket = Ticket { doorbell: js.client.doorbell(), call: 1, op: "status".into(), answered: false };
    let panicking = threads::runtime().unwrap().spawn(async move {
        let owed = ticket;
        assert!(owed.answered, "on purpose");
    });
    let (ok, answer, _) = js.reply(1);
    assert_eq!((ok, &answer["code"]), (false, &json!("PAWL_INTERNAL")));
    assert!(threads::runtime().unwrap().block_on(panicking).unwrap_err().is_panic());
}

#[test]
fn an_abandoned_connection_closes_its_store() {
    let mut js = JavaScript::new();
    js.done("connect", json!({ "url": "memory:", "clientName": null }));
    js.client.abandon();
    let engine = &js.client.connected().unwrap().engine;
    let refused = threads::runtime().unwrap().block_on(engine.status("run-1".into())).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Closed);
}
