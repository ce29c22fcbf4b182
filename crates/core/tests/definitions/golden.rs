//! Hashes that runs in databases carry. A hash that changes here strands every one of those runs: never edit a file in
//! `tests/golden/flows`, add a new one.

use pawl_core::flow::Definition;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    hash: String,
    definition: Definition,
}

#[test]
fn every_published_definition_keeps_its_hash() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/flows");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).expect("the golden flows are there") {
        let file = entry.expect("the folder is readable").path();
        let text = std::fs::read_to_string(&file).expect("the file is readable");
        let Golden { hash, definition } =
            serde_json::from_str(&text).unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
        let flow = definition.build().unwrap_or_else(|problems| panic!("{}: {problems:?}", file.display()));
        assert_eq!(flow.hash.as_str(), hash, "{}", file.display());
        seen += 1;
    }
    assert_eq!(seen, 6, "files in {}", folder.display());
}
