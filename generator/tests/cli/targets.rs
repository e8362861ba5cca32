//! Directories that a tree is written to, or must not be.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Folder, Ran};

fn into(folder: &Folder, target: &str) -> Ran {
    folder.run(&format!("render -f fleet.yaml tier=edge -o {target}"))
}

#[test]
fn the_root_and_the_home_directory_are_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path("home")).unwrap();
    for target in ["/", "home", "home/", "home/.", "home/new/.."] {
        let ran = into(&folder, target);
        assert_eq!(ran.code, 1, "{target}: {}", ran.err);
    }
    assert_eq!(fs::read_dir(folder.path("home")).unwrap().count(), 0);
}

#[test]
fn a_folder_below_the_home_directory_is_fine() {
    let folder = Folder::new();
    fs::create_dir(folder.path("home")).unwrap();
    assert_eq!(into(&folder, "home/repo").code, 0);
}

#[test]
fn a_link_as_the_target_is_refused_with_and_without_a_slash() {
    let folder = Folder::new();
    fs::create_dir(folder.path("real")).unwrap();
    symlink(folder.path("real"), folder.path("link")).unwrap();
    for target in ["link", "link/"] {
        let ran = into(&folder, target);
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("symbolic link"), "{}", ran.err);
    }
    assert_eq!(fs::read_dir(folder.path("real")).unwrap().count(), 0);
}

#[test]
fn a_link_inside_the_tree_is_not_followed() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("repo")).unwrap();
    fs::create_dir(folder.path("elsewhere")).unwrap();
    symlink(folder.path("elsewhere"), folder.path("repo/clusters")).unwrap();
    let ran = into(&folder, "repo");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("repo/clusters is a symbolic link"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_dir(folder.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn the_current_and_the_parent_directory_are_fine() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("deep/er")).unwrap();
    assert_eq!(into(&folder, "deep/er/..").code, 0);
    assert!(folder.path("deep/TOPOLOGY.md").exists());
    assert_eq!(into(&folder, ".").code, 0);
    assert!(folder.path("TOPOLOGY.md").exists());
}

#[test]
fn gits_own_folder_is_refused() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("repo/.git")).unwrap();
    assert_eq!(into(&folder, "repo/.git").code, 1);
    assert_eq!(into(&folder, "repo/.git/hooks").code, 1);
}

#[test]
fn a_file_in_place_of_the_directory_is_refused() {
    let folder = Folder::new();
    let ran = into(&folder, "fleet.yaml");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("is not a directory"), "{}", ran.err);
}
