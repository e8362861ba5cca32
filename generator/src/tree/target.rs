//! The directory that a tree is written to, and safe access to what is in it.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::error::TreeError;
use super::path::{STATE_DIR, TEMPORARY};

/// A directory that was found fit to hold a tree. It may not exist yet.
#[derive(Clone, Debug)]
pub struct Target {
    root: PathBuf,
}

impl Target {
    /// Checks `dir`: not empty, not a symbolic link, not `/`, not `home`, not inside `.git` or
    /// `.banlieue`, and a directory if it exists.
    pub fn open(dir: &Path, home: Option<&Path>) -> Result<Self, TreeError> {
        let refuse = |reason| {
            Err(TreeError::Target {
                path: dir.to_owned(),
                reason,
            })
        };
        // Without a trailing `/` or `/.`, which would make the system follow a link.
        let root: PathBuf = dir.components().collect();
        if root.as_os_str().is_empty() {
            return refuse("is no directory");
        }
        match fs::symlink_metadata(&root) {
            Ok(found) if found.is_symlink() => return refuse("is a symbolic link"),
            Ok(found) if !found.is_dir() => return refuse("is not a directory"),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(TreeError::io("look at", &root)(error)),
        }
        let place = resolve(&root).map_err(TreeError::io("resolve", &root))?;
        if place.parent().is_none() {
            return refuse("is the root of the file system");
        }
        if home
            .and_then(|home| fs::canonicalize(home).ok())
            .is_some_and(|home| home == place)
        {
            return refuse("is the home directory");
        }
        if place.components().any(|part| is_reserved(part.as_os_str())) {
            return refuse("is inside a folder that git or banlieue-gen keeps for itself");
        }
        if place.components().any(|part| part == Component::ParentDir) {
            return refuse("has `..` behind a directory that does not exist");
        }
        Ok(Self { root })
    }

    /// The directory, as the user named it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a file of ours lies that is no rendered file.
    pub(super) fn state(&self, name: &str) -> PathBuf {
        self.root.join(STATE_DIR).join(name)
    }

    /// The name of a file of ours while it is being written.
    pub(super) fn unfinished_state(&self, name: &str) -> PathBuf {
        self.state(&format!("{TEMPORARY}{name}"))
    }

    /// Whether `folder` exists below the target. A link or a file in its place is an error; the
    /// folders above it are the caller's to check.
    pub(super) fn has_folder(&self, folder: &str) -> Result<bool, TreeError> {
        let path = self.root.join(folder);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => Ok(true),
            Ok(found) if found.is_symlink() => Err(TreeError::Symlink { path }),
            Ok(_) => Err(TreeError::Obstacle {
                path,
                found: "a file",
                wanted: "a directory",
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(TreeError::io("look at", path)(error)),
        }
    }
}

/// Opens the regular file at `path` and tells its size, or `None` if there is nothing. Never follows
/// a link in the last component and never blocks on a pipe.
pub(super) fn open_regular(path: &Path) -> Result<Option<(fs::File, u64)>, TreeError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => fs::File::from(descriptor),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) => {
            return Err(TreeError::Symlink {
                path: path.to_owned(),
            });
        }
        Err(Errno::NXIO) => return Err(no_file(path, "a socket or a pipe")),
        Err(error) => return Err(TreeError::io("open", path)(error.into())),
    };
    let found = file.metadata().map_err(TreeError::io("look at", path))?;
    if found.is_dir() {
        return Err(no_file(path, "a directory"));
    }
    if !found.is_file() {
        return Err(no_file(path, "a pipe or a device"));
    }
    Ok(Some((file, found.len())))
}

/// The content of the regular file at `path`, or `None` if there is nothing.
pub(super) fn read_regular(path: &Path) -> Result<Option<Vec<u8>>, TreeError> {
    let Some((mut file, _)) = open_regular(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(TreeError::io("read", path))?;
    Ok(Some(bytes))
}

fn no_file(path: &Path, found: &'static str) -> TreeError {
    TreeError::Obstacle {
        path: path.to_owned(),
        found,
        wanted: "a file",
    }
}

fn is_reserved(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case(STATE_DIR)
}

/// Where `path` is, or will be once it is created.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let existing = path
        .ancestors()
        .find(|part| fs::symlink_metadata(part).is_ok())
        .unwrap_or(&path);
    let missing = path.strip_prefix(existing).unwrap_or(Path::new(""));
    let place = fs::canonicalize(existing)?;
    Ok(if missing.as_os_str().is_empty() {
        place
    } else {
        place.join(missing)
    })
}
