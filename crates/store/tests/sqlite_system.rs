//! When the system says no: files this process may not write, and a disk that takes no more.
#![cfg(unix)]

mod sqlite_support;

use pawl_core::ErrorCode;
use pawl_store::{SqliteOptions, SqliteStore, Store};
use sqlite_support::process::{again, all_words, file_to_work_on, say};
use sqlite_support::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The user who owns nothing.
const NOBODY: u32 = 65_534;

fn set_mode(path: &std::path::Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Opens the database in a process without special rights and answers what it was told.
fn told_without_rights(test: &str, place: &Place) -> Vec<String> {
    let mut command = again(test, place);
    let is_root = fs::metadata(place.dir.path()).unwrap().uid() == 0;
    if is_root {
        // Nothing is forbidden to root, so the test itself is run by somebody else, from where everybody may read it.
        let program = place.dir.path().with_extension("program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        set_mode(&program, 0o755);
        let mut unprivileged = Command::new(&program);
        unprivileged.args(command.get_args()).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = unprivileged;
        command.stdout(Stdio::piped()).uid(NOBODY).gid(NOBODY).current_dir("/");
        let words = all_words(command.spawn().unwrap());
        fs::remove_file(program).unwrap();
        return words;
    }
    all_words(command.spawn().unwrap())
}

fn say_how_it_opens(file: &std::path::Path) {
    match SqliteStore::open(file, SqliteOptions::default()) {
        Ok(_) => say("opened"),
        Err(error) => say(&error.to_string()),
    }
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_read_only() {
    if let Some(file) = file_to_work_on() {
        return say_how_it_opens(&file);
    }
    let place = Place::new();
    place.open().close().await.unwrap();
    set_mode(place.dir.path(), 0o777);
    set_mode(&place.file(), 0o444);
    let told = told_without_rights("a_file_that_may_not_be_written_is_read_only", &place);
    assert!(told[0].starts_with(ErrorCode::StoreReadOnly.as_str()), "{told:?}");
    assert!(told[0].contains("permission") && told[0].contains("runs.db"), "{told:?}");
}

#[tokio::test]
async fn a_directory_that_may_not_be_written_is_read_only() {
    if let Some(file) = file_to_work_on() {
        return say_how_it_opens(&file);
    }
    let place = Place::new();
    place.open().close().await.unwrap();
    set_mode(&place.file(), 0o666);
    set_mode(place.dir.path(), 0o555);
    let told = told_without_rights("a_directory_that_may_not_be_written_is_read_only", &place);
    set_mode(place.dir.path(), 0o755);
    assert!(told[0].starts_with(ErrorCode::StoreReadOnly.as_str()), "{told:?}");
    assert!(told[0].contains("directory"), "{told:?}");
}

#[tokio::test]
async fn a_directory_that_may_not_be_entered_is_told() {
    if let Some(file) = file_to_work_on() {
        return say_how_it_opens(&file);
    }
    let place = Place::new();
    set_mode(place.dir.path(), 0o700);
    if fs::metadata(place.dir.path()).unwrap().uid() != 0 {
        set_mode(place.dir.path(), 0o000);
    }
    let told = told_without_rights("a_directory_that_may_not_be_entered_is_told", &place);
    set_mode(place.dir.path(), 0o700);
    assert!(told[0].starts_with(ErrorCode::StoreUnavailable.as_str()), "{told:?}");
}

/// The system refuses to let files grow beyond a size: the write itself fails, at the commit.
#[tokio::test]
async fn a_commit_that_cannot_be_written_acknowledges_nothing() {
    if let Some(file) = file_to_work_on() {
        let store = SqliteStore::open(file, SqliteOptions::default()).unwrap();
        let flow = register(&store, chain("order", &["charge"])).await;
        for at in 0.. {
            let id = format!("order-{at}");
            match store.start(vec![new_run(&store, &flow, &id)]).await {
                Ok(_) => say(&id),
                Err(error) => {
                    assert!(error.passing, "{error}");
                    say(error.code.as_str());
                    // What was acknowledged can still be read by the same process, and what was not is not there.
                    assert!(store.run(id.into()).await.unwrap().is_none());
                    assert!(store.run("order-0".into()).await.unwrap().is_some());
                    return;
                }
            }
        }
    }
    let place = Place::new();
    let command = again("a_commit_that_cannot_be_written_acknowledges_nothing", &place);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\""]).arg(command.get_program());
    limited.args(command.get_args()).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut told = all_words(limited.stdout(Stdio::piped()).spawn().unwrap());

    let code = told.pop().unwrap();
    assert!([ErrorCode::StoreUnavailable.as_str(), ErrorCode::StoreFull.as_str()].contains(&code.as_str()), "{code}");
    assert!(told.len() > 10, "{told:?}");
    let store = place.open();
    for id in told {
        assert!(store.run(id.as_str().into()).await.unwrap().is_some(), "{id} was acknowledged and is gone");
    }
}
