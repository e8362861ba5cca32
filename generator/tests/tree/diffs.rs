use std::collections::BTreeMap;
use std::fs;

use banlieue_gen::tree::{
    Change, ObjectId, Rendered, diff_changes, field_changes, inspect, text_diff,
};
use serde_json::{Value, json};

use crate::support::{everything, file, render};

fn object() -> ObjectId {
    ObjectId {
        group: String::new(),
        kind: "Thing".to_owned(),
        namespace: None,
        name: "t".to_owned(),
    }
}

fn changed(old: &Value, new: &Value) -> Vec<(String, Option<Value>, Option<Value>)> {
    field_changes(&object(), old, new)
        .into_iter()
        .map(|change| (change.path, change.old, change.new))
        .collect()
}

#[test]
fn a_changed_an_added_and_a_removed_field_are_named() {
    let old = json!({"spec": {"replicas": 5, "paused": true, "same": 1}});
    let new = json!({"spec": {"replicas": 6, "same": 1, "zone": "a"}});
    assert_eq!(
        changed(&old, &new),
        [
            ("spec.replicas".to_owned(), Some(json!(5)), Some(json!(6))),
            ("spec.zone".to_owned(), None, Some(json!("a"))),
            ("spec.paused".to_owned(), Some(json!(true)), None),
        ]
    );
}

#[test]
fn an_inserted_list_element_leaves_the_others_alone() {
    let old = json!({"disks": [{"name": "root", "size": 1}, {"name": "data", "size": 2}]});
    let new = json!({"disks": [{"name": "boot", "size": 9}, {"name": "root", "size": 1}, {"name": "data", "size": 3}]});
    assert_eq!(
        changed(&old, &new),
        [
            (
                "disks[name=boot]".to_owned(),
                None,
                Some(json!({"name": "boot", "size": 9}))
            ),
            (
                "disks[name=data].size".to_owned(),
                Some(json!(2)),
                Some(json!(3))
            ),
        ]
    );
}

#[test]
fn a_changed_order_of_named_elements_is_seen() {
    let old = json!([{"type": "a"}, {"type": "b"}]);
    let new = json!([{"type": "b"}, {"type": "a"}]);
    assert_eq!(
        changed(&old, &new),
        [(
            "[order]".to_owned(),
            Some(json!(["a", "b"])),
            Some(json!(["b", "a"]))
        )]
    );
}

#[test]
fn elements_without_a_name_of_their_own_are_matched_by_place() {
    let old = json!({"l": [{"name": "x"}, {"name": "x", "n": 1}]});
    let new = json!({"l": [{"name": "x"}, {"name": "x", "n": 2}, 3]});
    assert_eq!(
        changed(&old, &new),
        [
            ("l[1].n".to_owned(), Some(json!(1)), Some(json!(2))),
            ("l[2]".to_owned(), None, Some(json!(3)))
        ]
    );
}

#[test]
fn a_field_name_with_dots_is_quoted() {
    let (old, new) = (
        json!({"annotations": {}}),
        json!({"annotations": {"a.b/c": "1"}}),
    );
    assert_eq!(
        changed(&old, &new),
        [("annotations[\"a.b/c\"]".to_owned(), None, Some(json!("1")))]
    );
}

#[test]
fn a_long_text_diff_is_cut() {
    let new = "line\n".repeat(100);
    let text = text_diff("x.yaml", "", &new, 10);
    assert_eq!(text.lines().count(), 11);
    assert!(text.ends_with("... and 93 more lines\n"), "{text}");
    assert!(text_diff("x", "", &"a".repeat(2 << 20), 10).contains("too long to show"));
}

#[test]
fn a_dry_run_shows_what_an_update_and_an_edit_would_lose() {
    let dir = tempfile::tempdir().unwrap();
    render(
        dir.path(),
        &[("s", "a.json", "{\"n\": 1}\n"), ("s", "b.txt", "old\n")],
    )
    .unwrap();
    fs::write(dir.path().join("b.txt"), "edit\n").unwrap();
    let mut object_file = file("s", "a.json", "{\"n\": 2}\n");
    object_file.objects = [object()].into();
    let files = vec![
        file("s", "b.txt", "new\n"),
        object_file,
        file("s", "c.txt", "c\n"),
    ];
    let run = Rendered::new("1.2.3", "input", BTreeMap::new(), files);

    let existing = inspect(dir.path(), None).unwrap();
    let changes = existing.compare(&run, &everything).unwrap();
    let parse = |text: &str| serde_json::from_str(text).ok();
    let diffs = diff_changes(&existing, &changes, &run, &parse, 100).unwrap();

    let seen: Vec<_> = diffs
        .iter()
        .map(|diff| (diff.path.as_str(), diff.change))
        .collect();
    assert_eq!(
        seen,
        [("a.json", Change::Update), ("b.txt", Change::Edited)]
    );
    assert_eq!(diffs[0].fields.as_ref().unwrap()[0].path, "n");
    assert_eq!(diffs[1].fields, None);
    assert_eq!(
        diffs[1].text,
        "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-edit\n+new\n"
    );
}
