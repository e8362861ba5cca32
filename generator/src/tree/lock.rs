//! One run at a time on one tree.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::path::STATE_DIR;
use super::target::{Target, open_regular};

const LOCK: &str = "lock";
/// How often to try again when another run, ending at the same moment, takes its lock file along.
const ATTEMPTS: usize = 16;

/// The lock on a tree, held until it is dropped.
///
/// The file stays behind for the next run. Only a run that created it and then wrote nothing removes
/// it again, with the directories that it created, so that a refused run leaves no trace.
#[derive(Debug)]
pub struct Lock {
    file: File,
    created: Vec<Made>,
}

#[derive(Debug)]
enum Made {
    Folder(PathBuf),
    File(PathBuf),
}

impl Lock {
    /// Takes the lock on `target`, creating the directory if need be. Never waits.
    pub fn take(target: &Target) -> Result<Self, TreeError> {
        let path = target.state(LOCK);
        for _ in 0..ATTEMPTS {
            let mut created = Vec::new();
            make_folder(target.root(), &mut created)?;
            if !target.has_folder(STATE_DIR)? {
                make_folder(&target.root().join(STATE_DIR), &mut created)?;
            }
            let Some(file) = open(&path, &mut created)? else {
                continue;
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(TreeError::Locked { path }),
                Err(TryLockError::Error(error)) => return Err(TreeError::io("lock", path)(error)),
            }
            if is_at(&file, &path) {
                return Ok(Self { file, created });
            }
        }
        Err(TreeError::Locked { path })
    }

    /// From here on the tree is written to: leave the lock file and the directories in place.
    pub(super) fn keep(&mut self) {
        self.created.clear();
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        for made in self.created.iter().rev() {
            // Best effort: what is left behind is an empty folder or an empty file.
            let _ = match made {
                Made::Folder(path) => fs::remove_dir(path),
                Made::File(path) => fs::remove_file(path),
            };
        }
        // Not left to closing the file: a process that was just forked off may still hold a copy.
        let _ = self.file.unlock();
    }
}

fn make_folder(path: &Path, created: &mut Vec<Made>) -> Result<(), TreeError> {
    let missing: Vec<_> = path
        .ancestors()
        .take_while(|part| !part.as_os_str().is_empty() && !part.exists())
        .collect();
    for part in missing.into_iter().rev() {
        match fs::create_dir(part) {
            Ok(()) => created.push(Made::Folder(part.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(TreeError::io("create", part)(error)),
        }
    }
    Ok(())
}

/// Opens the lock file, or answers `None` when it came or went meanwhile. It is opened for reading,
/// so that a run that changes nothing also works on a read-only file system.
fn open(path: &Path, created: &mut Vec<Made>) -> Result<Option<File>, TreeError> {
    if let Some((file, _)) = open_regular(path)? {
        return Ok(Some(file));
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => {
            created.push(Made::File(path.to_owned()));
            Ok(Some(file))
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(TreeError::io("create", path)(error)),
    }
}

/// Whether `path` still names the file that was locked.
fn is_at(file: &File, path: &Path) -> bool {
    let id = |found: fs::Metadata| (found.dev(), found.ino());
    matches!(
        (file.metadata().map(id), fs::symlink_metadata(path).map(id)),
        (Ok(locked), Ok(named)) if locked == named
    )
}
