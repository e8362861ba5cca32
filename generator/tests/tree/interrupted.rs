use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use banlieue_gen::tree::{Disk, Edits, RealDisk, TreeError, lock, write_with};

use crate::support::{
    all_content, assert_consistent, content, everything, pairs, render, render_with, rendered,
};

/// A disk that stops for good after some effects, as if the process had been killed: not even the
/// clean-up of the run that fails has an effect.
pub struct Stopping {
    allowed: usize,
    tried: AtomicUsize,
}

impl Stopping {
    pub fn after(allowed: usize) -> Self {
        Self {
            allowed,
            tried: AtomicUsize::new(0),
        }
    }

    /// How many effects were asked for.
    pub fn tried(&self) -> usize {
        self.tried.load(Ordering::SeqCst)
    }

    fn step(&self) -> io::Result<()> {
        if self.tried.fetch_add(1, Ordering::SeqCst) < self.allowed {
            Ok(())
        } else {
            Err(io::Error::other("killed"))
        }
    }
}

impl Disk for Stopping {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealDisk.create_dir(path))
    }

    /// Counts twice, so that a stop between the two leaves half a file.
    fn create_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.step()?;
        if let Err(killed) = self.step() {
            RealDisk.create_file(path, &bytes[..bytes.len() / 2])?;
            return Err(killed);
        }
        RealDisk.create_file(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealDisk.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealDisk.remove_file(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.step().and_then(|()| RealDisk.remove_dir(path))
    }
}

type Files = [(&'static str, &'static str, &'static str)];

const FIRST: &Files = &[
    ("a", "a/deep/changed.yaml", "old content"),
    ("a", "a/same.yaml", "same"),
    ("b", "b/deep/dropped.yaml", "dropped"),
    ("b", "dropped.yaml", "dropped too"),
];
const SECOND: &Files = &[
    ("a", "a/deep/changed.yaml", "new content"),
    ("a", "a/same.yaml", "same"),
    ("c", "c/deep/added.yaml", "added"),
    ("c", "added.yaml", "added too"),
];
const THIRD: &Files = &[
    ("a", "a/deep/changed.yaml", "newest content"),
    ("b", "b/deep/dropped.yaml", "dropped"),
    ("d", "d/other.yaml", "other"),
];

/// Renders, and is killed after `allowed` effects. Answers whether it ended first.
fn killed(dir: &Path, files: &Files, allowed: usize, edits: Edits) -> bool {
    let run = rendered(files);
    let (lock, existing) = lock(dir, None).unwrap();
    let changes = existing.compare(&run, &everything).unwrap();
    let disk = Stopping::after(allowed);
    match write_with(&disk, lock, &existing, &changes, &run, edits) {
        Ok(_) => true,
        Err(TreeError::Io { .. }) => false,
        Err(other) => panic!("killed after {allowed} effects: {other}"),
    }
}

fn assert_whole(dir: &Path, versions: &[&Files]) {
    for (path, text) in content(dir) {
        let known = versions
            .iter()
            .any(|files| pairs(files).get(&path) == Some(&text));
        assert!(
            known || path.contains(".banlieue-tmp-"),
            "{path} is neither old nor new: {text:?}"
        );
    }
}

fn folders(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    found.sort();
    found
}

#[test]
fn a_kill_at_any_point_leaves_whole_files_and_the_next_run_completes() {
    for allowed in 0.. {
        let dir = tempfile::tempdir().unwrap();
        render(dir.path(), FIRST).unwrap();
        let ended = killed(dir.path(), SECOND, allowed, Edits::Refuse);
        assert_whole(dir.path(), &[FIRST, SECOND]);

        let next = render(dir.path(), SECOND);
        assert!(
            next.is_ok(),
            "after {allowed} effects: {}",
            next.unwrap_err()
        );
        assert_eq!(
            content(dir.path()),
            pairs(SECOND),
            "after {allowed} effects"
        );
        assert_eq!(
            folders(dir.path()),
            [".banlieue", "a", "c"],
            "after {allowed} effects"
        );
        assert_consistent(dir.path());
        if ended {
            assert!(
                allowed > 20,
                "the run was expected to have more than {allowed} effects"
            );
            return;
        }
    }
}

#[test]
fn a_killed_first_render_is_completed() {
    for allowed in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let ended = killed(dir.path(), SECOND, allowed, Edits::Refuse);
        render(dir.path(), SECOND).unwrap();
        assert_eq!(content(dir.path()), pairs(SECOND));
        assert_consistent(dir.path());
        if ended {
            return;
        }
    }
}

#[test]
fn a_kill_followed_by_another_render_that_is_killed_too_loses_nothing() {
    let mut first = 0;
    loop {
        // Every third point, a different third each time, keeps this under a few seconds.
        let mut second = first % 3;
        let first_ended = loop {
            let dir = tempfile::tempdir().unwrap();
            render(dir.path(), FIRST).unwrap();
            let first_ended = killed(dir.path(), SECOND, first, Edits::Refuse);
            let second_ended = killed(dir.path(), THIRD, second, Edits::Refuse);
            assert_whole(dir.path(), &[FIRST, SECOND, THIRD]);

            let next = render(dir.path(), FIRST);
            assert!(
                next.is_ok(),
                "after {first} and {second} effects: {}",
                next.unwrap_err()
            );
            assert_eq!(
                content(dir.path()),
                pairs(FIRST),
                "after {first} and {second} effects"
            );
            assert_eq!(
                folders(dir.path()),
                [".banlieue", "a", "b"],
                "after {first} and {second} effects"
            );
            assert_consistent(dir.path());
            if second_ended {
                break first_ended;
            }
            second += 3;
        };
        if first_ended {
            return;
        }
        first += 1;
    }
}

#[test]
fn a_kill_while_an_edit_is_replaced_never_loses_it() {
    for allowed in 0.. {
        let dir = tempfile::tempdir().unwrap();
        render(dir.path(), FIRST).unwrap();
        fs::write(dir.path().join("a/deep/changed.yaml"), "an edit").unwrap();
        fs::write(dir.path().join("dropped.yaml"), "another edit").unwrap();
        let ended = killed(dir.path(), SECOND, allowed, Edits::Replace);
        let kept = |edit: &str| all_content(dir.path()).values().any(|text| text == edit);
        assert!(
            kept("an edit") && kept("another edit"),
            "lost after {allowed} effects"
        );

        render_with(dir.path(), &rendered(SECOND), &everything, Edits::Replace).unwrap();
        assert!(
            kept("an edit") && kept("another edit"),
            "lost after {allowed} effects"
        );
        assert_eq!(content(dir.path()), pairs(SECOND));
        assert_consistent(dir.path());
        if ended {
            return;
        }
    }
}

#[test]
fn an_edit_made_after_a_kill_is_still_an_edit() {
    let dir = tempfile::tempdir().unwrap();
    render(dir.path(), FIRST).unwrap();
    assert!(!killed(dir.path(), SECOND, 8, Edits::Refuse));
    fs::write(dir.path().join("a/deep/changed.yaml"), "an edit").unwrap();
    let error = render(dir.path(), SECOND).unwrap_err();
    assert!(matches!(error, TreeError::Conflicts { .. }), "{error}");
}

#[test]
fn a_users_file_named_like_an_unfinished_one_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let mine = dir.path().join("a/.banlieue-tmp-mine");
    render(dir.path(), FIRST).unwrap();
    fs::write(&mine, "mine").unwrap();
    assert!(!killed(dir.path(), SECOND, 8, Edits::Refuse));
    render(dir.path(), SECOND).unwrap();
    assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
}
