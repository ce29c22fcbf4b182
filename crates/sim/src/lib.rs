//! A world in one thread, made of a seed: workers that crash and freeze, clients that change their minds, a store whose
//! answers get lost, and a clock that moves when it is told to. The rules are the real ones (`pawl-core`), the rows are
//! the real ones (a store of `pawl-store`); everything around them is played.
//!
//! After every step, checkers look at what happened and at what is stored. One that finds a promise broken ends the
//! world with a [`Violation`], which tells the seed; the same seed plays the same world again.
//!
//! ```
//! let lived = pawl_sim::World::new(7).live().expect("no promise is broken");
//! assert!(lived.runs > 0);
//! ```

mod broken;
mod check;
mod client;
mod fact;
mod flows;
mod line;
mod planted;
mod rng;
mod view;
mod worker;
mod world;

pub use planted::Planted;
pub use world::{Lived, Violation, World};
