//! What has to be done for a branch that was just claimed: call a function, or settle it without one.

use super::CRASH_COUNT_MAX;
use super::apply::{Outcome, apply};
use crate::branch::{BranchState, Phase};
use crate::commit::Decision;
use crate::flow::{Flow, NodeIndex, NodeKind};
use crate::ids::{Fence, FlowHash, Millis, RunId, RunNo};
use crate::path::{Path, Scope};
use crate::payload::Payload;

/// A branch and the right to work on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// The run.
    pub run: RunNo,
    /// The run's id.
    pub run_id: RunId,
    /// The run's flow.
    pub flow: FlowHash,
    /// The branch.
    pub scope: Scope,
    /// Where it stands.
    pub state: BranchState,
    /// What a commit must show.
    pub fence: Fence,
    /// Which start of the node's function this would be, from 1.
    pub attempt: u32,
    /// How many attempts at this node were lost together with their worker.
    pub crashes: u32,
    /// When this attempt is too late, by the timeout in `state`.
    pub deadline_at: Option<Millis>,
    /// The deadline of an attempt before this one that was lost together with its worker.
    pub lost_deadline_at: Option<Millis>,
    /// When the whole run is too late.
    pub run_deadline_at: Option<Millis>,
    /// Whether a message for the awaited signal lies ready.
    pub signal_ready: bool,
    /// The payload at `state.input`, where that is set and the branch is in phase `Ready` or `Backoff`.
    pub input: Option<Payload>,
}

impl Claimed {
    /// How often the node's function was started before this claim.
    pub fn attempts_before(&self) -> u32 {
        self.attempt.saturating_sub(1)
    }
}

/// What to do for a claimed branch.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Call the node's function; its outcome goes to [`apply`].
    Run(AttemptPlan),
    /// Put the outputs of a fork's branches together with [`Payload::object`]; apply [`Outcome::Succeeded`] with it.
    Gather(Vec<(std::sync::Arc<str>, Path)>),
    /// Commit this; no function is called.
    Settle(Decision),
    /// Nothing is due here: give the claim back as it was, due at this moment or when somebody moves it.
    Release,
}

/// One attempt at a node's function.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptPlan {
    /// The node, under whose number JavaScript has its function.
    pub node: NodeIndex,
    /// The node's path.
    pub path: Path,
    /// Where its input comes from.
    pub input: InputSource,
}

/// Where an attempt's input comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSource {
    /// The result at this path.
    Result(Path),
    /// One object out of these results, keyed by branch.
    Branches(Vec<(std::sync::Arc<str>, Path)>),
}

/// What does this branch need now? Asking twice gives the same answer.
///
/// A branch whose node is not in the flow (a damaged row) ends its run as failed with `PAWL_TASK_NOT_FOUND`.
pub fn next_work(flow: &Flow, claimed: &Claimed, now: Millis) -> Work {
    let settle = |outcome| Work::Settle(apply(flow, claimed, outcome, now));
    if let Phase::Deadline { .. } = claimed.state.phase {
        return settle(Outcome::RunDeadlinePassed);
    }
    let Some(node) = flow.find(&claimed.state.node) else {
        return settle(Outcome::NodeUnknown);
    };
    match &claimed.state.phase {
        Phase::Sleeping { wake_at } if *wake_at <= now => settle(Outcome::SleepEnded),
        Phase::Awaiting { .. } if claimed.signal_ready => settle(Outcome::SignalArrived),
        Phase::Awaiting { timeout_at: Some(at), .. } if *at <= now => settle(Outcome::SignalTimedOut),
        Phase::Ready | Phase::Backoff { .. } => {
            if claimed.crashes >= CRASH_COUNT_MAX {
                return settle(Outcome::CrashedTooOften);
            }
            if claimed.lost_deadline_at.is_some_and(|at| at <= now) {
                // The attempt that was too late is the one that was lost, not the one this claim could start.
                let lost = Claimed { attempt: claimed.attempts_before(), ..claimed.clone() };
                return Work::Settle(apply(flow, &lost, Outcome::TimedOut, now));
            }
            match &node.kind {
                NodeKind::Fork(fork) => {
                    let outputs =
                        fork.branches.iter().map(|b| (b.name.clone(), flow.node(b.last).path.clone())).collect();
                    match fork.join {
                        None => Work::Gather(outputs),
                        Some(_) => run(node.index, &node.path, InputSource::Branches(outputs)),
                    }
                }
                NodeKind::Step(_) => {
                    let input = claimed.state.input.clone().unwrap_or_else(Path::run_input);
                    run(node.index, &node.path, InputSource::Result(input))
                }
                NodeKind::Delay(_) | NodeKind::Signal(_) => settle(Outcome::NodeUnknown),
            }
        }
        Phase::Sleeping { .. } | Phase::Awaiting { .. } | Phase::Joining { .. } | Phase::Deadline { .. } => {
            Work::Release
        }
    }
}

fn run(node: NodeIndex, path: &Path, input: InputSource) -> Work {
    Work::Run(AttemptPlan { node, path: path.clone(), input })
}
