//! Sending messages to runs.

use super::Engine;
use crate::error::EngineError;
use pawl_core::flow::{Flow, NodeKind};
use pawl_core::{ErrorCode, Payload, RunId, RunState};
use pawl_store::{NewSignal, SignalReceipt, SignalRefusal};

impl Engine {
    /// Puts a message into a run's mailbox. It is stored when this answers. `true`: a message with this key had been
    /// stored before, and this one was not.
    ///
    /// # Errors
    /// `PAWL_RUN_NOT_FOUND`, `PAWL_RUN_ENDED`; `PAWL_ARGUMENT` for a name the run's flow awaits nowhere; errors of the
    /// store.
    pub async fn signal(
        &self,
        id: RunId,
        name: &str,
        payload: Payload,
        key: Option<String>,
    ) -> Result<bool, EngineError> {
        let record = self.shared.store.run(id.clone()).await?.ok_or_else(|| EngineError::run_not_found(id.as_str()))?;
        // A message with a key may have arrived before the run ended; only the store can tell.
        if record.state.is_terminal() && key.is_none() {
            return Err(ended(&id, &record.state));
        }
        check_name(&*self.flow_of_run(&record.flow).await?, name)?;
        let signal = NewSignal { run_id: id.clone(), name: name.to_owned(), payload, key };
        let answer = self.shared.store.signal(vec![signal]).await?.pop();
        match answer {
            Some(Ok(SignalReceipt::Duplicate)) => Ok(true),
            Some(Ok(SignalReceipt::Accepted { woke })) => {
                if woke {
                    self.shared.hub.due(&record.flow, record.run, self.shared.clock.now());
                }
                Ok(false)
            }
            Some(Err(SignalRefusal::RunEnded { state })) => Err(ended(&id, &state)),
            Some(Err(SignalRefusal::RunNotFound)) | None => Err(EngineError::run_not_found(id.as_str())),
        }
    }
}

fn check_name(flow: &Flow, name: &str) -> Result<(), EngineError> {
    let awaited: Vec<&str> = flow
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            NodeKind::Signal(signal) => Some(&*signal.signal),
            _ => None,
        })
        .collect();
    if awaited.contains(&name) {
        return Ok(());
    }
    let hint = match awaited.as_slice() {
        [] => "it awaits no signals at all".to_owned(),
        names => format!("it awaits {}", names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")),
    };
    let message = format!("The flow {:?} awaits no signal {name:?}; {hint}", flow.name);
    Err(EngineError::new(ErrorCode::Argument, message))
}

fn ended(id: &RunId, state: &RunState) -> EngineError {
    let message = format!("The run {:?} is {} and takes no signals any more", id.as_str(), state.as_str());
    EngineError::new(ErrorCode::RunEnded, message)
}
