//! Who gets the branches that a commit or a start makes due: the asking session keeps some, the rest is let go.

use crate::Committed;
use pawl_core::turn::Claimed;
use pawl_core::{Millis, SessionNo};

/// Sorts the branches of one write as they come: kept, let go, due later, or never due by themselves.
#[derive(Debug)]
pub struct Handing {
    keep: Option<(SessionNo, usize)>,
    held: bool,
    now: Millis,
    let_go: bool,
    next_due_at: Option<Millis>,
}

impl Handing {
    /// For one write. `keep` names a living session and its limit; a held run hands out nothing.
    pub fn new(keep: Option<(SessionNo, usize)>, held: bool, now: Millis) -> Handing {
        Handing { keep, held, now, let_go: false, next_due_at: None }
    }

    /// Who gets a branch that is due at this moment. To be asked once for each changed branch.
    pub fn owner_of(&mut self, due_at: Option<Millis>) -> Option<SessionNo> {
        let due_at = due_at.filter(|_| !self.held)?;
        if due_at > self.now {
            self.next_due_at = Some(self.next_due_at.map_or(due_at, |next| next.min(due_at)));
            return None;
        }
        match &mut self.keep {
            Some((session, left)) if *left > 0 => {
                *left -= 1;
                Some(*session)
            }
            _ => {
                self.let_go = true;
                None
            }
        }
    }

    /// The answer to the commit, once every changed branch was asked for.
    pub fn committed(self, kept: Vec<Claimed>, ended: bool) -> Committed {
        Committed { kept, let_go: self.let_go, next_due_at: self.next_due_at, ended }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000);
    const ME: SessionNo = SessionNo(7);

    fn sorted(
        keep: Option<(SessionNo, usize)>,
        held: bool,
        due: &[Option<i64>],
    ) -> (Vec<Option<SessionNo>>, Committed) {
        let mut handing = Handing::new(keep, held, NOW);
        let owners = due.iter().map(|due| handing.owner_of(due.map(Millis))).collect();
        (owners, handing.committed(Vec::new(), false))
    }

    #[test]
    fn due_branches_are_kept_up_to_the_limit_and_the_rest_is_let_go() {
        let (owners, committed) = sorted(Some((ME, 2)), false, &[Some(1_000), Some(900), Some(1_000)]);
        assert_eq!(owners, [Some(ME), Some(ME), None]);
        assert!(committed.let_go);
    }

    #[test]
    fn without_a_keeper_all_that_is_due_is_let_go() {
        let (owners, committed) = sorted(None, false, &[Some(1_000)]);
        assert_eq!(owners, [None]);
        assert!(committed.let_go);
    }

    #[test]
    fn the_earliest_later_moment_is_told_and_takes_no_room() {
        let (owners, committed) = sorted(Some((ME, 1)), false, &[Some(9_000), None, Some(4_000), Some(1_000)]);
        assert_eq!(owners, [None, None, None, Some(ME)]);
        assert_eq!((committed.let_go, committed.next_due_at), (false, Some(Millis(4_000))));
    }

    #[test]
    fn a_held_run_hands_out_nothing() {
        let (owners, committed) = sorted(Some((ME, 9)), true, &[Some(1_000), Some(4_000)]);
        assert_eq!(owners, [None, None]);
        assert_eq!((committed.let_go, committed.next_due_at), (false, None));
    }
}
