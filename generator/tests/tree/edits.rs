use std::fs;
use std::path::Path;

use banlieue_gen::tree::{Change, Edits, TreeError, inspect};

use crate::support::{
    assert_consistent, content, everything, pairs, render, render_with, rendered,
};

const OLD: [(&str, &str, &str); 3] = [
    ("s", "a/x.yaml", "old"),
    ("s", "gone.yaml", "old"),
    ("s", "same.yaml", "same"),
];
const NEW: [(&str, &str, &str); 2] = [("s", "a/x.yaml", "new"), ("s", "same.yaml", "same")];

fn conflicts(error: TreeError) -> Vec<(String, Change)> {
    match error {
        TreeError::Conflicts { conflicts } => conflicts
            .into_iter()
            .map(|(path, change)| (path.to_string(), change))
            .collect(),
        other => panic!("expected conflicts, got {other}"),
    }
}

fn edited_tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &OLD).unwrap();
    fs::write(dir.path().join("a/x.yaml"), "edit of x").unwrap();
    fs::write(dir.path().join("gone.yaml"), "edit of gone").unwrap();
    fs::write(dir.path().join("new.yaml"), "foreign").unwrap();
    dir
}

fn with_new() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut files = NEW.to_vec();
    files.push(("s", "new.yaml", "new"));
    files
}

#[test]
fn every_edit_is_reported_and_nothing_is_written() {
    let dir = edited_tree();
    let before = crate::support::all_content(dir.path());
    let error = render(dir.path(), &with_new()).unwrap_err();
    assert_eq!(
        conflicts(error),
        [
            ("a/x.yaml".to_owned(), Change::Edited),
            ("gone.yaml".to_owned(), Change::EditedDelete),
            ("new.yaml".to_owned(), Change::Foreign),
        ]
    );
    assert_eq!(crate::support::all_content(dir.path()), before);
}

#[test]
fn a_replaced_edit_is_saved_first() {
    let dir = edited_tree();
    let summary = render_with(
        dir.path(),
        &rendered(&with_new()),
        &everything,
        Edits::Replace,
    )
    .unwrap();
    assert_eq!(content(dir.path()), pairs(&with_new()));
    let saved: Vec<_> = summary
        .saved
        .iter()
        .map(|path| fs::read_to_string(dir.path().join(path)).unwrap())
        .collect();
    assert_eq!(saved, ["edit of x", "edit of gone", "foreign"]);
    assert!(
        summary.saved[0]
            .to_str()
            .unwrap()
            .starts_with(".banlieue/edited/a/x.yaml.")
    );
    assert_consistent(dir.path());
}

#[test]
fn two_edits_of_one_file_are_both_kept() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &OLD).unwrap();
    let mut saved = Vec::new();
    for edit in ["first", "second", "first"] {
        fs::write(dir.path().join("a/x.yaml"), edit).unwrap();
        saved.extend(
            render_with(dir.path(), &rendered(&OLD), &everything, Edits::Replace)
                .unwrap()
                .saved,
        );
    }
    let read = |path: &Path| fs::read_to_string(dir.path().join(path)).unwrap();
    assert_eq!(
        saved.iter().map(|path| read(path)).collect::<Vec<_>>(),
        ["first", "second", "first"]
    );
    assert_eq!(saved[0], saved[2]);
}

#[test]
fn an_edited_file_with_the_longest_name_can_be_saved() {
    let dir = tempfile::tempdir().unwrap();
    let name = "n".repeat(255);
    render(dir.path(), &[("s", &name, "old")]).unwrap();
    fs::write(dir.path().join(&name), "edit").unwrap();
    let summary = render_with(dir.path(), &rendered(&[]), &everything, Edits::Replace).unwrap();
    assert_eq!(
        fs::read_to_string(dir.path().join(&summary.saved[0])).unwrap(),
        "edit"
    );
}

#[test]
fn an_edit_that_equals_the_render_is_no_conflict() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &OLD).unwrap();
    fs::write(dir.path().join("a/x.yaml"), "new").unwrap();
    let summary = render(dir.path(), &NEW).unwrap();
    assert_eq!(
        (summary.updated, summary.deleted, summary.unchanged),
        (0, 1, 2)
    );
    assert_consistent(dir.path());
}

#[test]
fn a_file_that_equals_the_render_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("a/x.yaml"), "new").unwrap();
    let summary = render(dir.path(), &NEW).unwrap();
    assert_eq!((summary.created, summary.unchanged), (1, 1));
    assert_eq!(
        inspect(dir.path(), None).unwrap().inventory().files.len(),
        2
    );
}

#[test]
fn a_lost_inventory_deletes_nothing_and_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &OLD).unwrap();
    fs::remove_dir_all(dir.path().join(".banlieue")).unwrap();
    render(dir.path(), &OLD[..1]).unwrap();
    assert_eq!(content(dir.path()), pairs(&OLD));
    assert_consistent(dir.path());
}

#[test]
fn a_deleted_file_is_written_again_and_a_dropped_one_stays_away() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &OLD).unwrap();
    fs::remove_dir_all(dir.path().join("a")).unwrap();
    fs::remove_file(dir.path().join("gone.yaml")).unwrap();
    let summary = render(dir.path(), &NEW).unwrap();
    assert_eq!((summary.created, summary.deleted), (1, 0));
    assert_eq!(content(dir.path()), pairs(&NEW));
    assert_consistent(dir.path());
}

#[test]
fn a_long_list_of_conflicts_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..25).map(|index| format!("f{index:02}.yaml")).collect();
    for name in &names {
        fs::write(dir.path().join(name), "mine").unwrap();
    }
    let files: Vec<_> = names
        .iter()
        .map(|name| ("s", name.as_str(), "rendered"))
        .collect();
    let message = render(dir.path(), &files).unwrap_err().to_string();
    assert!(
        message.contains("f19.yaml: not written by banlieue-gen"),
        "{message}"
    );
    assert!(!message.contains("f20.yaml"), "{message}");
    assert!(message.contains("... and 5 more"), "{message}");
    assert!(message.contains("--replace-edited"), "{message}");
}
