//! A checker that never saw a bug proves nothing: each of these is found within a few worlds.

use pawl_sim::{Planted, Violation, World};

/// How many worlds a bug may hide in.
const WORLD_COUNT_MAX: u64 = 60;

#[test]
fn every_planted_bug_is_found_soon_and_found_again() {
    let mut hidden = Vec::new();
    for bug in Planted::ALL {
        match first_violation(bug) {
            Some(found) => {
                let again = World::planted(found.seed, bug).live().expect_err("the same seed, the same world");
                assert_eq!((again.step, &again.words), (found.step, &found.words), "{bug:?}");
                println!("{bug:?} in world {}, step {}: {}", found.seed, found.step, found.promise);
            }
            None => hidden.push(bug),
        }
    }
    assert!(hidden.is_empty(), "no checker found {hidden:?} in {WORLD_COUNT_MAX} worlds");
}

fn first_violation(bug: Planted) -> Option<Box<Violation>> {
    (0..WORLD_COUNT_MAX).find_map(|seed| World::planted(seed, bug).live().err())
}

#[test]
fn a_violation_tells_how_to_see_it_again() {
    let found = first_violation(Planted::ForgottenStart).expect("it is found");
    assert!(found.to_string().contains(&format!("PAWL_SIM_SEED={}", found.seed)), "{found}");
}
