//! What is the same in every store, whatever it keeps its rows in. A store that decides one of these by itself is a
//! bug: two copies of a rule drift apart.

mod apart;
mod attempts;
mod due;
mod handing;
mod replaced;
mod status;
mod stored;

pub use apart::{Apart, put_off};
pub use attempts::{Tally, counts_as_attempt, lost_event, result_attempt};
pub use due::{awaited_signal, due_at, wanted_input, was_set_back};
pub use handing::Handing;
pub use replaced::replaced;
pub use status::matches;
pub use stored::{failure_from_json, failure_to_json, state_from_json, state_to_json};
