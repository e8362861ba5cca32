use std::fs;

use banlieue_gen::tree::{TreeError, inspect};

use crate::support::{Mount, assert_consistent, chain, content, pairs, render};

fn names() -> Vec<String> {
    (0..40)
        .map(|index| format!("d{}/f{index}.yaml", index % 4))
        .collect()
}

fn files<'a>(names: &'a [String], content: &'a str) -> Vec<(&'a str, &'a str, &'a str)> {
    names
        .iter()
        .map(|name| ("s", name.as_str(), content))
        .collect()
}

#[test]
fn a_full_disk_leaves_every_file_whole_and_the_next_run_completes() {
    let names = names();
    let (old, new) = ("o".repeat(4096), "n".repeat(3 * 4096));
    let mount = Mount::tmpfs("size=256k");
    render(mount.path(), &files(&names, &old)).unwrap();

    let error = render(mount.path(), &files(&names, &new)).unwrap_err();
    assert!(matches!(error, TreeError::Io { .. }), "{error}");
    let message = chain(error);
    assert!(
        message.contains("cannot write") && message.contains("No space left"),
        "{message}"
    );
    let contents = content(mount.path());
    assert_eq!(
        contents.len(),
        names.len(),
        "a file is missing or an unfinished one is left"
    );
    for (path, text) in contents {
        assert!(text == old || text == new, "{path} is neither old nor new");
    }

    mount.remount("size=8m");
    let summary = render(mount.path(), &files(&names, &new)).unwrap();
    assert!(summary.resumed);
    assert_eq!(content(mount.path()), pairs(&files(&names, &new)));
    assert_consistent(mount.path());
}

#[test]
fn a_disk_without_room_for_the_journal_is_left_as_it_was() {
    let mount = Mount::tmpfs("size=64k");
    let names = names();
    render(mount.path(), &files(&names[..1], "old")).unwrap();
    fs::write(mount.path().join("ballast"), "").unwrap();
    let _ = fs::write(mount.path().join("ballast"), vec![0; 64 * 1024]);
    let before = content(mount.path());
    let error = render(mount.path(), &files(&names, "new")).unwrap_err();
    assert!(chain(error).contains("pending.json"));
    assert_eq!(content(mount.path()), before);
    assert!(!inspect(mount.path(), None).unwrap().interrupted());
}

#[test]
fn a_read_only_tree_is_named_with_its_cause() {
    let names = names();
    let mount = Mount::tmpfs("size=1m");
    render(mount.path(), &files(&names, "old")).unwrap();
    mount.remount("ro");
    let message = chain(render(mount.path(), &files(&names, "new")).unwrap_err());
    assert!(
        message.contains(".banlieue") && message.contains("Read-only file system"),
        "{message}"
    );
    mount.remount("rw");
    render(mount.path(), &files(&names, "new")).unwrap();
    assert_eq!(content(mount.path()), pairs(&files(&names, "new")));
}

#[test]
fn an_empty_read_only_directory_is_named_with_its_cause() {
    let mount = Mount::tmpfs("ro");
    let message = chain(render(mount.path(), &[("s", "x", "x")]).unwrap_err());
    assert!(
        message.contains("cannot create") && message.contains("Read-only file system"),
        "{message}"
    );
}
