//! Small fleets of files, and directories to put them in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use banlieue_gen::tree::{
    Edits, File, Rendered, Scope, ScopeInfo, Summary, TreeError, TreePath, inspect, lock, write,
};

/// Every file below a directory, by path, without our own folder.
pub type Content = BTreeMap<String, String>;

/// A run that renders `files`, given as scope, path and content.
pub fn rendered(files: &[(&str, &str, &str)]) -> Rendered {
    rendered_as(&ScopeInfo::default(), files)
}

/// As [`rendered`], with what to remember of every scope.
pub fn rendered_as(info: &ScopeInfo, files: &[(&str, &str, &str)]) -> Rendered {
    let files: Vec<_> = files
        .iter()
        .map(|(scope, path, content)| file(scope, path, content))
        .collect();
    let scopes = files
        .iter()
        .map(|file| (file.scope.clone(), info.clone()))
        .collect();
    Rendered::new("1.2.3", "input", scopes, files)
}

pub fn file(scope: &str, path: &str, content: &str) -> File {
    let path = TreePath::new(path).unwrap();
    File::new(path, content.into(), Scope::new(scope), [].into())
}

pub fn everything(_: &Scope, _: &ScopeInfo) -> bool {
    true
}

/// Renders into `dir`, covering every scope.
pub fn render(dir: &Path, files: &[(&str, &str, &str)]) -> Result<Summary, TreeError> {
    render_with(dir, &rendered(files), &everything, Edits::Refuse)
}

pub fn render_with(
    dir: &Path,
    rendered: &Rendered,
    covers: &dyn Fn(&Scope, &ScopeInfo) -> bool,
    edits: Edits,
) -> Result<Summary, TreeError> {
    let (lock, existing) = lock(dir, None)?;
    let changes = existing.compare(rendered, covers)?;
    write(lock, &existing, &changes, rendered, edits)
}

pub fn content(dir: &Path) -> Content {
    let mut found = all_content(dir);
    found.retain(|path, _| !path.starts_with(".banlieue/"));
    found
}

/// Every file below a directory, our own included.
pub fn all_content(dir: &Path) -> Content {
    let mut found = Content::new();
    collect(dir, dir, &mut found);
    found
}

fn collect(root: &Path, dir: &Path, found: &mut Content) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, found);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            found.insert(name, fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

pub fn pairs(files: &[(&str, &str, &str)]) -> Content {
    files
        .iter()
        .map(|(_, path, content)| ((*path).to_owned(), (*content).to_owned()))
        .collect()
}

/// Whether the inventory lists exactly the files that are there, with their digests.
pub fn assert_consistent(dir: &Path) {
    let existing = inspect(dir, None).unwrap();
    assert!(!existing.interrupted(), "a journal is left");
    let listed: BTreeMap<_, _> = existing
        .inventory()
        .files
        .iter()
        .map(|(path, entry)| (path.clone(), entry.sha256))
        .collect();
    assert_eq!(existing.observe(listed.keys()).unwrap(), listed);
    let leftovers: Vec<_> = all_content(dir)
        .into_keys()
        .filter(|path| path.contains(".banlieue-tmp-"))
        .collect();
    assert_eq!(leftovers, Vec::<String>::new(), "unfinished files are left");
}

/// The whole chain of causes, as a person would see it.
pub fn chain(error: TreeError) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

/// A small file system in memory, unmounted on drop.
pub struct Mount {
    dir: tempfile::TempDir,
}

impl Mount {
    pub fn tmpfs(options: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        mount(&["-t", "tmpfs", "-o", options, "tmpfs"], dir.path());
        Self { dir }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn remount(&self, options: &str) {
        mount(&["-o", &format!("remount,{options}")], self.path());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .arg("-l")
            .arg(self.dir.path())
            .status();
    }
}

fn mount(arguments: &[&str], place: &Path) {
    let output = Command::new("mount")
        .args(arguments)
        .arg(place)
        .output()
        .expect("mount(8) is needed");
    assert!(
        output.status.success(),
        "this test needs the right to mount a tmpfs: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
