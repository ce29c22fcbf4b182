//! What the runtime promises, told as stories over the memory store with a clock that the story moves.

mod support;

mod basics;
