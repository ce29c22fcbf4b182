//! Bugs on purpose, to see that the checkers see them.

/// A bug that a world can be given. Each is one that a store or a worker could really have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// The store accepts a commit whatever fence it shows.
    SkippedFence,
    /// The store acknowledges a message and does not keep it.
    ForgottenSignal,
    /// The store acknowledges a start and does not keep it.
    ForgottenStart,
    /// The store ends a cancelled run and goes on handing out its branches.
    LingeringCancel,
    /// The store goes on handing out the branches of a paused run.
    IgnoredPause,
    /// The store lets a join go on when one branch is still missing.
    HastyJoin,
    /// The store takes claims from a session before its time is over.
    ShortLease,
    /// The store answers a result that is not the one recorded.
    ChangedResult,
    /// A worker forgets what it claimed and goes on living.
    DroppedClaim,
    /// A worker never asks what it holds after an answer was lost.
    UnaskedHolding,
    /// A worker gives its function another input than the recorded one.
    WrongInput,
}

impl Planted {
    /// All of them.
    pub const ALL: [Planted; 11] = [
        Planted::SkippedFence,
        Planted::ForgottenSignal,
        Planted::ForgottenStart,
        Planted::LingeringCancel,
        Planted::IgnoredPause,
        Planted::HastyJoin,
        Planted::ShortLease,
        Planted::ChangedResult,
        Planted::DroppedClaim,
        Planted::UnaskedHolding,
        Planted::WrongInput,
    ];
}
