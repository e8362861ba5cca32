//! Names inside the tree: paths and scopes.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The folder where this module keeps its own files; no rendered path may lie in it.
pub(super) const STATE_DIR: &str = ".banlieue";
/// How the name of an unfinished file begins.
pub(super) const TEMPORARY: &str = ".banlieue-tmp-";

const MAX_COMPONENT: usize = 255;
const MAX_PATH: usize = 1024;

/// The path of a rendered file, relative to the target, that cannot lead anywhere else.
///
/// Components are separated by `/` and made of printable ASCII other than `\`: they come from
/// Kubernetes names, and ASCII leaves no room for names that only some file systems tell apart.
/// Refused as a component: empty, `.`, `..`, `.git` in any case and its short name `git~1`, our own
/// folder and temporary files, anything longer than 255 bytes. The whole is at most 1024 bytes.
///
/// A clone shares the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TreePath(Arc<str>);

/// Why a path may not be rendered to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the path {path:?} {reason}")]
pub struct PathError {
    /// The path as it was given.
    pub path: String,
    /// Why it is refused.
    pub reason: &'static str,
}

impl TreePath {
    /// Checks `path` against the rules above.
    pub fn new(path: impl Into<String>) -> Result<Self, PathError> {
        let path = path.into();
        match fault(&path) {
            Some(reason) => Err(PathError { path, reason }),
            None => Ok(Self(path.into())),
        }
    }

    /// The path with `/` between components.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder that holds the file, or `None` for a file directly in the target.
    pub fn parent(&self) -> Option<&str> {
        parent(&self.0)
    }

    /// Every folder above the file, nearest first, without the target itself.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(self.parent(), |folder| parent(folder))
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Where the file is, under `root`.
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(&*self.0)
    }
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

/// Every folder above `paths`, sorted.
pub(super) fn folders<'a>(paths: impl IntoIterator<Item = &'a TreePath>) -> BTreeSet<&'a str> {
    let mut folders = BTreeSet::new();
    let mut last = None;
    for path in paths {
        // Most files lie in the folder of the one before.
        if last == path.parent() {
            continue;
        }
        last = path.parent();
        for folder in path.ancestors() {
            if !folders.insert(folder) {
                break;
            }
        }
    }
    folders
}

fn fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("is empty");
    }
    if path.len() > MAX_PATH {
        return Some("is longer than 1024 bytes");
    }
    if path.starts_with('/') {
        return Some("is absolute; it must be relative to the target");
    }
    if path
        .split('/')
        .next()
        .is_some_and(|first| first.eq_ignore_ascii_case(STATE_DIR))
    {
        return Some("is in the folder that the inventory is kept in");
    }
    if !path
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\')
    {
        return Some("has a character that is not printable ASCII, or a backslash");
    }
    path.split('/').find_map(component_fault)
}

fn component_fault(component: &str) -> Option<&'static str> {
    match component {
        "" => return Some("has an empty component"),
        "." | ".." => return Some("has a `.` or `..` component"),
        _ => {}
    }
    if component.len() > MAX_COMPONENT {
        return Some("has a component longer than 255 bytes");
    }
    if component.eq_ignore_ascii_case(".git") || component.eq_ignore_ascii_case("git~1") {
        return Some("reaches into git's own folder");
    }
    if component.starts_with(TEMPORARY) {
        return Some("is named like an unfinished file");
    }
    None
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Equality and order are those of the text.
impl Borrow<str> for TreePath {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> Self {
        path.as_str().to_owned()
    }
}

impl TryFrom<String> for TreePath {
    type Error = PathError;

    fn try_from(path: String) -> Result<Self, Self::Error> {
        Self::new(path)
    }
}

/// The part of the fleet that a file belongs to, such as `platform`, `cluster/gold/edge-1`,
/// `virtualmachines/build` or `index`. A run prunes only the scopes that it covers. A clone shares
/// the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scope(Arc<str>);

impl Scope {
    /// Names a scope. Any text is a name; only the renderer gives it a meaning.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
