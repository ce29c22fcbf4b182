//! What the runtime promises, told as stories over the memory store with a clock that the story moves.

mod support;

mod basics;
mod controls;
mod crashes;
mod drain;
mod fairness;
mod faults;
mod outages;
mod reading;
mod runner;
mod signals;
mod timeouts;
mod waiting;
