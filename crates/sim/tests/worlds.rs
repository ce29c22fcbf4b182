//! Worlds of fixed seeds, of fresh ones, and of the one in `PAWL_SIM_SEED`. `PAWL_SIM_SECONDS` makes the fresh ones go on.

use pawl_sim::{Lived, World};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

/// How long fresh seeds are tried where nobody asks for more.
const FRESH: Duration = Duration::from_secs(3);

#[track_caller]
fn live(seed: u64) -> Lived {
    World::new(seed).live().unwrap_or_else(|violation| panic!("\n{violation}"))
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}; it takes a whole number")))
}

#[test]
fn worlds_of_fixed_seeds_keep_their_promises() {
    if let Some(seed) = number("PAWL_SIM_SEED") {
        println!("seed {seed}:\n{}", live(seed).told.join("\n"));
        return;
    }
    let lived: Vec<Lived> = (0..60).map(live).collect();
    let completed: usize = lived.iter().map(|lived| lived.completed).sum();
    assert!(completed > lived.len(), "{completed} runs completed in {} worlds: nothing is tried here", lived.len());
}

#[test]
fn worlds_of_fresh_seeds_keep_their_promises() {
    let (begun, wanted) = (Instant::now(), number("PAWL_SIM_SECONDS").map_or(FRESH, Duration::from_secs));
    let first = RandomState::new().hash_one("a seed that nobody has seen");
    let mut worlds = 0;
    while begun.elapsed() < wanted {
        live(first.wrapping_add(worlds));
        worlds += 1;
    }
    println!("{worlds} worlds from seed {first} in {:?}", begun.elapsed());
}

#[test]
fn a_seed_plays_the_same_world_again() {
    for seed in 1_000..1_005 {
        assert_eq!(live(seed), live(seed));
    }
}
