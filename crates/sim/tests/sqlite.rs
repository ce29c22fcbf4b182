//! The same worlds on a database file. Branches that are due at the same moment may be handed out in another order than
//! in memory, so a seed does not have to tell the same story on both; the promises are the same.

use pawl_sim::{Lived, World};
use pawl_store::{SqliteOptions, SqliteStore};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[track_caller]
fn live(seed: u64) -> Lived {
    let folder = tempfile::tempdir().expect("a folder for the database");
    let world = World::on(seed, |clock| {
        let options = SqliteOptions { clock, ..SqliteOptions::default() };
        Arc::new(SqliteStore::open(folder.path().join("sim.db"), options).expect("a new file can be opened"))
    });
    world.live().unwrap_or_else(|violation| panic!("on sqlite\n{violation}"))
}

#[test]
fn worlds_on_sqlite_keep_their_promises() {
    let fixed: Vec<Lived> = (0..2).map(live).collect();
    assert!(fixed.iter().all(|lived| lived.completed > 0), "nothing is tried here");

    let wanted = std::env::var("PAWL_SIM_SECONDS").map_or(0, |text| text.parse().expect("a whole number of seconds"));
    let (begun, first) = (Instant::now(), RandomState::new().hash_one("a seed that nobody has seen"));
    let mut worlds = 0;
    while worlds == 0 || begun.elapsed() < Duration::from_secs(wanted) {
        live(first.wrapping_add(worlds));
        worlds += 1;
    }
    println!("{worlds} fresh worlds on sqlite from seed {first} in {:?}", begun.elapsed());
}
