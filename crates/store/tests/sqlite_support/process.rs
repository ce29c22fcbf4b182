//! A second process: the same test, started again with a file to work on.

use super::Place;
use std::env;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

const FILE_VARIABLE: &str = "PAWL_TEST_DATABASE";
/// Marks the lines that a process says to its parent, among what the test runner prints.
const SAID: &str = "said: ";

/// The file this process is to work on, if it was started by [`start`].
pub fn file_to_work_on() -> Option<PathBuf> {
    env::var_os(FILE_VARIABLE).map(PathBuf::from)
}

/// Tells the parent something, at once.
pub fn say(word: &str) {
    println!("\n{SAID}{word}");
}

/// The command that runs this test again in another process.
pub fn again(test: &str, place: &Place) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture"]).env(FILE_VARIABLE, place.file()).stdout(Stdio::piped());
    command
}

/// What a process says, line by line, as it says it.
pub fn words(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines: BufReader<ChildStdout> = BufReader::new(child.stdout.take().unwrap());
    lines.lines().filter_map(|line| line.unwrap().strip_prefix(SAID).map(str::to_owned))
}

/// Waits for the end of a process, which must be a good one; answers what it said.
pub fn all_words(mut child: Child) -> Vec<String> {
    let said = words(&mut child).collect();
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}: {said:?}");
    said
}
