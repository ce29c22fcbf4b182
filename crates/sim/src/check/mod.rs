//! The promises, each with a checker that looks after every step of the world.

mod inputs;
mod joins;
mod mailboxes;
mod movers;
mod owners;
mod quiet;
mod results;
mod starts;
mod times;

use crate::fact::Fact;
use crate::view::View;

/// Looks at one step: what happened in it, and what was stored before and after.
pub trait Checker {
    /// The promise, in words.
    fn promise(&self) -> &'static str;

    /// # Errors
    /// In words, how the promise is broken.
    fn look(&mut self, facts: &[Fact], before: &View, after: &View) -> Result<(), String>;
}

/// One of each.
pub fn all() -> Vec<Box<dyn Checker>> {
    vec![
        Box::<results::ResultsStay>::default(),
        Box::<joins::JoinsFireOnce>::default(),
        Box::<owners::OneOwner>::default(),
        Box::<quiet::NothingStarts>::default(),
        Box::<starts::StartsAreKept>::default(),
        Box::<mailboxes::MessagesAreKept>::default(),
        Box::<inputs::InputsAreRecorded>::default(),
        Box::<times::NothingIsEarly>::default(),
        Box::<movers::SomethingMoves>::default(),
    ]
}

/// Fails with the words when the condition does not hold.
fn ensure(condition: bool, words: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(words()) }
}
