use crate::{flow, fork, problems, read, step};
use pawl_core::flow::NAME_CHARS_MAX;
use serde_json::json;

#[test]
fn names_are_human_text() {
    let longest = "x".repeat(NAME_CHARS_MAX);
    let most = "ü".repeat(NAME_CHARS_MAX);
    for name in ["a", "ship order", "größe", "日本語", "a.b-c_d", "a$", "🚀", "a\\b", "\"", &longest, &most] {
        flow(json!([step("", name)])).build().unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
    }
}

#[test]
fn names_that_would_not_make_a_path_are_refused() {
    let too_long = "x".repeat(NAME_CHARS_MAX + 1);
    let refused = [
        ("", "is empty"),
        (" a", "begins or ends with a space"),
        ("a\t", "begins or ends with a space"),
        ("$deadline", "begins with \"$\""),
        ("a/b", "contains a control character or one of / [ ]"),
        ("a[0]", "contains a control character or one of / [ ]"),
        ("a\u{0}b", "contains a control character"),
        ("a\nb", "contains a control character"),
        (&too_long, "has 201 characters; at most 200 are allowed"),
    ];
    for (name, why) in refused {
        let found = problems(&flow(json!([step("", name)])));
        assert!(found.len() == 1 && found[0].contains(why), "{name:?}: {found:?}");
        assert!(!found[0].contains('\u{0}'), "control characters are shown escaped: {found:?}");
    }
}

#[test]
fn flow_branch_and_signal_names_keep_the_same_rules() {
    let unnamed = read(json!({ "name": "", "nodes": [step("", "s")] })).unwrap();
    assert_eq!(problems(&unnamed), ["the flow name \"\" is empty, or begins or ends with a space"]);
    let signal = json!([{ "scope": "", "name": "s", "kind": "signal", "signal": "a/b" }]);
    assert_eq!(problems(&flow(signal)), ["s: the signal name \"a/b\" contains a control character or one of / [ ]"]);
    let found = problems(&flow(json!([fork("", "f", &["$x"]), step("$x", "s")])));
    assert_eq!(found, ["$x: the branch name \"$x\" begins with \"$\", which is reserved"]);
}
