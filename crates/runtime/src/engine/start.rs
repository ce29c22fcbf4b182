//! Starting runs.

use super::{Engine, id};
use crate::error::EngineError;
use crate::executor::AbortReason;
use pawl_core::flow::Flow;
use pawl_core::turn::{self, Claimed};
use pawl_core::{ErrorCode, FlowHash, Millis, Payload, RunId, RunNo, SessionNo};
use pawl_store::{NewRun, OnConflict, StartRefusal, Started};
use std::sync::Arc;

/// A run somebody wants.
#[derive(Clone, Debug)]
pub struct StartRequest {
    /// The name of its flow.
    pub flow: String,
    /// Which shape of the flow; `None`: the one registered last under the name.
    pub hash: Option<FlowHash>,
    /// The run's id.
    pub id: RunId,
    /// The run's input.
    pub input: Payload,
    /// What to do when the id is in use.
    pub on_conflict: OnConflict,
}

/// A granted start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartReply {
    /// The run's number.
    pub run: RunNo,
    /// Whether the run was there before.
    pub existing: bool,
    /// The shape asked for. An existing run may have been started from another one.
    pub hash: FlowHash,
}

/// A start as granted to whoever wants to work on it at once.
pub(super) struct StartedHere {
    pub reply: StartReply,
    pub kept: Vec<Claimed>,
}

impl Engine {
    /// Starts a run, or answers the one that has the id, as `on_conflict` says. It is stored when this answers.
    ///
    /// # Errors
    /// `PAWL_ARGUMENT` (the id), `PAWL_FLOW_UNKNOWN`, `PAWL_RUN_EXISTS`, `PAWL_RUN_CONFLICT`; errors of the store.
    pub async fn start(&self, request: StartRequest) -> Result<StartReply, EngineError> {
        let flow = self.flow_to_start(&request.flow, request.hash.as_ref()).await?;
        Ok(self.start_kept(request, &flow, None).await?.reply)
    }

    /// Starts a run whose first branches go to this session.
    pub(super) async fn start_kept(
        &self,
        request: StartRequest,
        flow: &Arc<Flow>,
        keep: Option<(SessionNo, usize)>,
    ) -> Result<StartedHere, EngineError> {
        id::check(&request.id)?;
        let now = self.shared.clock.now();
        let branches = turn::start(flow, now);
        let due_at = branches.iter().filter_map(|branch| branch.state.phase.due_at(now)).min();
        let new = NewRun {
            id: request.id.clone(),
            flow: flow.hash.clone(),
            input: request.input,
            branches,
            deadline_at: flow.deadline_ms.map(|after_ms| now.plus(after_ms)),
            on_conflict: request.on_conflict,
            keep,
        };
        let mut answers = self.shared.store.start(vec![new]).await?;
        let answer = answers.pop().ok_or_else(no_answer)?;
        match answer.map_err(|refusal| refuse(refusal, &request.id, flow))? {
            Started::Existing { run } => {
                let reply = StartReply { run, existing: true, hash: flow.hash.clone() };
                Ok(StartedHere { reply, kept: Vec::new() })
            }
            Started::New { run, kept, replaced } => {
                if let Some(old) = replaced {
                    self.shared.hub.run_stopped(old, AbortReason::Cancelled { reason: None });
                    self.shared.hub.run_ended(old);
                }
                self.tell_workers(flow, run, due_at);
                Ok(StartedHere { reply: StartReply { run, existing: false, hash: flow.hash.clone() }, kept })
            }
        }
    }

    fn tell_workers(&self, flow: &Flow, run: RunNo, due_at: Option<Millis>) {
        if let Some(due_at) = due_at {
            self.shared.hub.due(&flow.hash, run, due_at);
        }
    }
}

fn refuse(refusal: StartRefusal, id: &RunId, flow: &Flow) -> EngineError {
    match refusal {
        StartRefusal::Exists { state } => EngineError::new(
            ErrorCode::RunExists,
            format!(
                "A run with the id {:?} exists and is {}; choose another id, or pass onConflict: 'useExisting' or \
                 'terminateExisting'",
                id.as_str(),
                state.as_str()
            ),
        ),
        StartRefusal::OtherFlow { flow: other } => EngineError::new(
            ErrorCode::RunConflict,
            format!(
                "The id {:?} belongs to a run of the flow {other:?}; a run of {:?} needs an id of its own",
                id.as_str(),
                flow.name
            ),
        ),
        StartRefusal::FlowUnknown => EngineError::new(
            ErrorCode::FlowUnknown,
            format!("The flow {:?} is not registered in this store; register it again", flow.name),
        ),
    }
}

fn no_answer() -> EngineError {
    EngineError::new(
        ErrorCode::Internal,
        "The store answered nothing to a start; this is a fault in pawl, please report it",
    )
}
