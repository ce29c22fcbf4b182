//! How starts and losses of a node's function are counted.

use pawl_core::{BranchState, HistoryEvent, HistoryKind, Phase, Value};

/// What a store counts about the node that a branch stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// How often the branch was claimed on this node.
    pub attempt: u32,
    /// How many attempts at this node were lost together with their worker.
    pub crashes: u32,
}

impl Tally {
    /// With one more claim.
    pub fn claimed(self) -> Tally {
        Tally { attempt: self.attempt.saturating_add(1), ..self }
    }

    /// After the claim was given back; a claim that started nothing was none.
    pub fn handed_back(self, started: bool) -> Tally {
        if started { self } else { Tally { attempt: self.attempt.saturating_sub(1), ..self } }
    }

    /// After the claim was lost together with its worker, in this phase.
    pub fn lost(self, phase: &Phase) -> Tally {
        if counts_as_attempt(phase) { Tally { crashes: self.crashes.saturating_add(1), ..self } } else { self }
    }

    /// After a branch went from one state to the next: the counters belong to the node.
    pub fn moved(self, from: &BranchState, to: &BranchState) -> Tally {
        if from.node == to.node { self } else { Tally::default() }
    }
}

/// Whether a claim in this phase is an attempt at the node's function. The others settle a wait and run nothing.
pub fn counts_as_attempt(phase: &Phase) -> bool {
    matches!(phase, Phase::Ready | Phase::Backoff { .. })
}

/// Which attempt brought this value, as the history tells it; 0 where none was needed.
pub fn result_attempt(value: &Value, phase: &Phase, tally: Tally) -> u32 {
    match value {
        Value::New(_) if counts_as_attempt(phase) => tally.attempt,
        Value::New(_) | Value::CopyOf(_) | Value::Signal(_) => 0,
    }
}

/// The history's line about an attempt that was lost together with its worker.
pub fn lost_event(state: &BranchState, tally: Tally, worker: &str) -> HistoryEvent {
    let detail = serde_json::json!({ "worker": worker, "attempt": tally.attempt }).to_string();
    HistoryEvent { kind: HistoryKind::AttemptLost, path: Some(state.node.clone()), failure: None, detail: Some(detail) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pawl_core::{Millis, Payload};

    const TALLY: Tally = Tally { attempt: 3, crashes: 1 };

    fn on(node: &str, phase: Phase) -> BranchState {
        BranchState { node: node.into(), phase, input: None, failures: 0, timeout_ms: None }
    }

    #[test]
    fn counters_stay_on_a_node_and_start_anew_on_the_next() {
        let charge = on("charge", Phase::Ready);
        let backoff = on("charge", Phase::Backoff { retry_at: Millis(5) });
        assert_eq!(TALLY.moved(&charge, &backoff), TALLY);
        assert_eq!(TALLY.moved(&charge, &on("ship", Phase::Ready)), Tally::default());
    }

    #[test]
    fn a_claim_that_started_nothing_is_not_counted() {
        assert_eq!(TALLY.handed_back(false).attempt, 2);
        assert_eq!(TALLY.handed_back(true), TALLY);
        assert_eq!(Tally::default().handed_back(false), Tally::default());
    }

    #[test]
    fn only_a_lost_attempt_is_a_crash() {
        assert_eq!(TALLY.lost(&Phase::Ready).crashes, 2);
        assert_eq!(TALLY.lost(&Phase::Sleeping { wake_at: Millis(5) }), TALLY);
    }

    #[test]
    fn a_result_that_needed_no_attempt_has_attempt_0() {
        let new = Value::New(Payload::json("1"));
        assert_eq!(result_attempt(&new, &Phase::Ready, TALLY), 3);
        assert_eq!(result_attempt(&new, &Phase::Awaiting { signal: "ok".into(), timeout_at: None }, TALLY), 0);
        assert_eq!(result_attempt(&Value::CopyOf("a".into()), &Phase::Sleeping { wake_at: Millis(0) }, TALLY), 0);
    }

    #[test]
    fn the_line_about_a_lost_attempt_names_the_node_and_the_worker() {
        let event = lost_event(&on("charge", Phase::Ready), TALLY, "host-1");
        assert_eq!((event.kind, event.path), (HistoryKind::AttemptLost, Some("charge".into())));
        assert_eq!(event.detail.as_deref(), Some(r#"{"attempt":3,"worker":"host-1"}"#));
    }
}
