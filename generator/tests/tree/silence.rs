use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use banlieue_gen::tree::{Edits, lock, write_with};

use crate::interrupted::Stopping;
use crate::support::{Mount, all_content, everything, render, rendered};

const FILES: [(&str, &str, &str); 2] = [("s", "a/x.yaml", "x"), ("s", "y.yaml", "y")];

fn times(dir: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let paths = all_content(dir).into_keys().map(|path| dir.join(path));
    let folders = ["", ".banlieue", "a"].map(|folder| dir.join(folder));
    paths
        .chain(folders)
        .map(|path| {
            (
                path.clone(),
                fs::metadata(path).unwrap().modified().unwrap(),
            )
        })
        .collect()
}

#[test]
fn rendering_the_same_again_touches_nothing() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), &FILES).unwrap();
    let before = times(dir.path());

    let run = rendered(&FILES);
    let disk = Stopping::after(0);
    let (lock, existing) = lock(dir.path(), None).unwrap();
    let changes = existing.compare(&run, &everything).unwrap();
    let summary = write_with(&disk, lock, &existing, &changes, &run, Edits::Refuse).unwrap();

    assert!(summary.is_unchanged());
    assert_eq!(summary.unchanged, 2);
    assert_eq!(disk.tried(), 0);
    assert_eq!(times(dir.path()), before);
}

#[test]
fn nothing_rendered_into_nothing_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    render(&dir.path().join("out"), &[]).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_order_of_rendered_files_changes_no_byte() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    render(one.path(), &FILES).unwrap();
    render(other.path(), &[FILES[1], FILES[0]]).unwrap();
    assert_eq!(all_content(one.path()), all_content(other.path()));
}

#[test]
fn a_read_only_tree_that_is_right_is_no_error() {
    let mount = Mount::tmpfs("size=1m");
    render(mount.path(), &FILES).unwrap();
    mount.remount("ro");
    assert!(render(mount.path(), &FILES).unwrap().is_unchanged());
}
