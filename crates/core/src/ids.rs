//! A newtype for each number and name that must not be mistaken for another.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Arc<str>);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<Arc<str>>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(crate) use name;

number!(
    /// A moment: milliseconds since 1970-01-01 UTC, on the store's clock.
    Millis
);
number!(
    /// The store's own key of one life of a run. An id that is started again gets a new number.
    RunNo
);
number!(
    /// The store's key of a worker's session: one start of one worker, alive as long as its heartbeat.
    SessionNo
);
number!(
    /// Grows by one with every claim and every commit of a branch. Whoever holds an older number is refused.
    Fence
);
name!(
    /// The id of a run as callers know it.
    RunId
);
name!(
    /// The structural hash of a flow: 32 hexadecimal digits over its name and shape.
    FlowHash
);

impl Millis {
    /// The moment `duration_ms` later; stays at the end of time instead of overflowing.
    pub fn plus(self, duration_ms: i64) -> Millis {
        Millis(self.0.saturating_add(duration_ms))
    }
}

impl Fence {
    /// The number after this one.
    pub fn next(self) -> Fence {
        Fence(self.0 + 1)
    }
}
