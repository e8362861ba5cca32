use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use banlieue_gen::tree::{Edits, Rendered, TreeError, inspect, lock, write, write_with};

use crate::interrupted::Stopping;
use crate::support::{Mount, all_content, everything, file, render, rendered};

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

#[test]
fn content_that_was_let_go_is_missed_only_where_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let files = [("s", "a.yaml", "a: 1\n"), ("s", "b.yaml", "b: 1\n")];
    render(dir.path(), &files).unwrap();
    let let_go = files.map(|(scope, path, content)| {
        let mut file = file(scope, path, content);
        file.bytes = None;
        file
    });
    let run = Rendered::new(
        "1.2.3",
        "input",
        rendered(&files).scopes().clone(),
        let_go.into(),
    );

    let compare = || {
        inspect(dir.path(), None)
            .unwrap()
            .compare(&run, &everything)
            .unwrap()
    };
    assert!(!run.lacks(&compare()));
    fs::remove_file(dir.path().join("b.yaml")).unwrap();
    assert!(run.lacks(&compare()));

    let (lock, existing) = lock(dir.path(), None).unwrap();
    let error = write(lock, &existing, &compare(), &run, Edits::Refuse).unwrap_err();
    assert!(matches!(error, TreeError::NoContent { .. }), "{error}");
}
