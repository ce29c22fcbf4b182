//! The stories of the runtime, told over database files.

#[path = "../stories/support/mod.rs"]
mod support;

#[path = "../stories/basics.rs"]
mod basics;
#[path = "../stories/controls.rs"]
mod controls;
#[path = "../stories/crashes.rs"]
mod crashes;
#[path = "../stories/drain.rs"]
mod drain;
#[path = "../stories/fairness.rs"]
mod fairness;
#[path = "../stories/faults.rs"]
mod faults;
#[path = "../stories/outages.rs"]
mod outages;
#[path = "../stories/reading.rs"]
mod reading;
#[path = "../stories/runner.rs"]
mod runner;
#[path = "../stories/signals.rs"]
mod signals;
#[path = "../stories/timeouts.rs"]
mod timeouts;
#[path = "../stories/waiting.rs"]
mod waiting;
