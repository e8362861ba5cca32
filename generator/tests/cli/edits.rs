//! Files of a tree that somebody else changed.

use crate::support::{Folder, differing};

const EDITED: &str = "repo/clusters/gold/web/cluster-web.yaml";

/// A tree with one edited file, and a layer that would change it.
fn edited() -> Folder {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    folder.layer(
        "more.yaml",
        "clusters: {web: {labels: {team: shop}}, payments: {paused: true}}\n",
    );
    folder.write(EDITED, "by hand\n");
    folder
}

#[test]
fn an_edited_file_stops_the_run_before_anything_is_written() {
    let folder = edited();
    let before = folder.times("repo");
    let ran = folder.run("render -f fleet.yaml -f more.yaml -o repo");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("clusters/gold/web/cluster-web.yaml: edited"),
        "{}",
        ran.err
    );
    assert_eq!(folder.times("repo"), before);
}

#[test]
fn the_way_out_that_is_named_exists() {
    let folder = edited();
    let said = folder.run("render -f fleet.yaml -o repo").err;
    assert!(said.contains("--replace-edited"), "{said}");
    assert!(!said.contains("--edits"), "{said}");
}

#[test]
fn replacing_saves_what_was_written_by_hand() {
    let folder = edited();
    let said = folder
        .ok("render -f fleet.yaml -o repo --replace-edited")
        .err;
    assert!(folder.read(EDITED).contains("kind: Cluster"));
    let saved: Vec<_> = folder
        .whole_tree("repo")
        .into_iter()
        .filter(|(path, _)| path.starts_with(".banlieue/edited/"))
        .collect();
    assert_eq!(saved.len(), 1);
    assert_eq!(saved[0].1, "by hand\n");
    assert!(said.contains(&saved[0].0), "{said}");
}

#[test]
fn a_dry_run_names_the_conflict_and_fails() {
    let folder = edited();
    let ran = folder.run("render -f fleet.yaml -o repo --dry-run");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.out, "conflict clusters/gold/web/cluster-web.yaml\n");
}

#[test]
fn an_edit_in_a_part_that_is_not_rendered_is_no_concern() {
    let folder = edited();
    folder.ok("render -f fleet.yaml tier=platinum -o repo");
    assert_eq!(folder.read(EDITED), "by hand\n");
}

#[test]
fn a_deleted_file_is_written_again() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    let before = folder.tree("repo");
    std::fs::remove_file(folder.path(EDITED)).unwrap();
    folder.ok("render -f fleet.yaml -o repo");
    assert_eq!(
        differing(&before, &folder.tree("repo")),
        Vec::<String>::new()
    );
}

#[test]
fn a_file_of_the_users_own_is_left_alone() {
    let folder = Folder::new();
    folder.write("repo/README.md", "mine\n");
    folder.write("repo/clusters/gold/web/notes.yaml", "mine: true\n");
    folder.ok("render -f fleet.yaml -o repo");
    folder.layer("gone.yaml", "clusters: {web: null}\n");
    folder.ok("render -f fleet.yaml -f gone.yaml -o repo");
    assert_eq!(folder.read("repo/README.md"), "mine\n");
    assert_eq!(
        folder.read("repo/clusters/gold/web/notes.yaml"),
        "mine: true\n"
    );
}
