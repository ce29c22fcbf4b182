//! Questions that change nothing, answered from one state of the database each.

mod claims;
mod flows;
mod history;
mod list;
mod results;
mod run;

pub(super) use claims::{check_claims, held};
pub(super) use flows::find_flow;
pub(super) use history::history;
pub(super) use list::list;
pub(super) use results::{results, states};
pub(super) use run::run_by_id;
