use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use banlieue_gen::tree::{TreeError, inspect, lock};

use crate::support::{Content, all_content, content, pairs, render};

const FILES: [(&str, &str, &str); 2] = [("s", "a/one.yaml", "1"), ("s", "two.yaml", "2")];

fn reason(dir: &Path, home: Option<&Path>) -> String {
    let message = inspect(dir, home).unwrap_err().to_string();
    let locked = lock(dir, home).unwrap_err().to_string();
    assert_eq!(message, locked);
    message
}

#[test]
fn the_root_of_the_file_system_is_refused_under_every_name() {
    for name in ["/", "//", "/.", "/..", "/tmp/.."] {
        assert!(
            reason(Path::new(name), None).contains("root of the file system"),
            "{name}"
        );
    }
}

#[test]
fn the_home_directory_is_refused_under_every_name() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("sub")).unwrap();
    for name in ["", ".", "sub/.."] {
        assert!(
            reason(&home.path().join(name), Some(home.path())).contains("home directory"),
            "{name}"
        );
    }
    assert!(inspect(&home.path().join("sub"), Some(home.path())).is_ok());
}

#[test]
fn a_link_as_the_target_is_refused_and_what_it_points_to_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("link")).unwrap();
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    for name in ["link", "link/", "link/.", "dangling"] {
        assert!(
            reason(&dir.path().join(name), None).contains("symbolic link"),
            "{name}"
        );
    }
    assert_eq!(fs::read_dir(dir.path().join("real")).unwrap().count(), 0);
}

#[test]
fn a_file_as_the_target_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "x").unwrap();
    assert!(reason(&dir.path().join("file"), None).contains("not a directory"));
    assert!(reason(Path::new(""), None).contains("no directory"));
}

#[test]
fn a_target_inside_git_or_our_own_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for name in [".git", ".git/out", ".banlieue/edited"] {
        assert!(
            reason(&dir.path().join(name), None).contains("keeps for itself"),
            "{name}"
        );
    }
}

#[test]
fn parent_folders_of_a_folder_that_does_not_exist_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(reason(&dir.path().join("missing/../other"), None).contains("does not exist"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_target_is_created_with_its_parents() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("a/b");
    render(&target, &FILES).unwrap();
    assert_eq!(content(&target), pairs(&FILES));
}

#[test]
fn looking_at_a_missing_target_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let existing = inspect(&dir.path().join("a"), None).unwrap();
    assert!(existing.inventory().files.is_empty());
    assert!(!dir.path().join("a").exists());
}

#[test]
fn what_was_there_before_survives_first_render_rerender_and_prune() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/empty")).unwrap();
    fs::write(dir.path().join("a/mine.yaml"), "mine").unwrap();
    fs::write(dir.path().join("ci.yaml"), "pipeline").unwrap();
    let mut expected = Content::from([
        ("a/mine.yaml".to_owned(), "mine".to_owned()),
        ("ci.yaml".to_owned(), "pipeline".to_owned()),
    ]);
    let mine = expected.clone();
    expected.extend(pairs(&FILES));

    render(dir.path(), &FILES).unwrap();
    assert_eq!(content(dir.path()), expected);
    render(dir.path(), &FILES).unwrap();
    assert_eq!(content(dir.path()), expected);
    render(dir.path(), &[]).unwrap();
    assert_eq!(content(dir.path()), mine);
    assert!(dir.path().join("a/empty").is_dir());
}

#[test]
fn a_refused_run_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("two.yaml"), "mine").unwrap();
    assert!(matches!(
        render(dir.path(), &FILES),
        Err(TreeError::Conflicts { .. })
    ));
    assert_eq!(
        all_content(dir.path()),
        Content::from([("two.yaml".to_owned(), "mine".to_owned())])
    );
    assert!(!dir.path().join(".banlieue").exists());
}

#[test]
fn a_linked_folder_on_the_way_to_a_file_is_refused() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(outside.path(), dir.path().join("a")).unwrap();
    let error = render(dir.path(), &FILES).unwrap_err();
    assert!(
        matches!(&error, TreeError::Symlink { path } if path.ends_with("a")),
        "{error}"
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(!dir.path().join("two.yaml").exists());
}

#[test]
fn a_linked_file_is_refused_and_what_it_points_to_is_left_alone() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let victim = outside.path().join("victim");
    fs::write(&victim, "2").unwrap();
    symlink(&victim, dir.path().join("two.yaml")).unwrap();
    let error = render(dir.path(), &FILES).unwrap_err();
    assert!(
        matches!(&error, TreeError::Symlink { path } if path.ends_with("two.yaml")),
        "{error}"
    );
    assert_eq!(fs::read_to_string(victim).unwrap(), "2");
}

#[test]
fn a_folder_of_ours_swapped_for_a_link_is_not_pruned_through() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    render(dir.path(), &FILES).unwrap();
    fs::rename(dir.path().join("a"), outside.path().join("a")).unwrap();
    symlink(outside.path().join("a"), dir.path().join("a")).unwrap();
    assert!(matches!(
        render(dir.path(), &[]),
        Err(TreeError::Symlink { .. })
    ));
    assert!(outside.path().join("a/one.yaml").exists());
    assert!(dir.path().join("two.yaml").exists());
}

#[test]
fn our_own_folder_as_a_link_is_refused() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(outside.path(), dir.path().join(".banlieue")).unwrap();
    assert!(matches!(
        render(dir.path(), &FILES),
        Err(TreeError::Symlink { .. })
    ));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn something_that_is_no_file_in_a_files_place_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("two.yaml")).unwrap();
    let error = render(dir.path(), &FILES).unwrap_err().to_string();
    assert!(
        error.contains("two.yaml is a directory where a file belongs"),
        "{error}"
    );

    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "").unwrap();
    let error = render(dir.path(), &FILES).unwrap_err().to_string();
    assert!(
        error.contains("a is a file where a directory belongs"),
        "{error}"
    );
}

#[test]
fn a_pipe_in_a_files_place_is_named_and_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(dir.path().join("two.yaml"))
        .status()
        .unwrap();
    assert!(made.success());
    let error = render(dir.path(), &FILES).unwrap_err().to_string();
    assert!(
        error.contains("a pipe or a device where a file belongs"),
        "{error}"
    );
}
