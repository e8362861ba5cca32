//! Single changes to a tree, each atomic, each with its path in the error.

use std::io;
use std::path::{Path, PathBuf};

use super::checksum::Checksum;
use super::disk::Disk;
use super::error::TreeError;
use super::existing::{EDITED, STATE_NAMES};
use super::path::{STATE_DIR, TEMPORARY, TreePath};
use super::target::{Target, read_regular};

/// The longest name that file systems take, in bytes.
const MAX_NAME: usize = 255;
/// Digits of a digest that tell the saved versions of one file apart.
const VERSION_DIGITS: usize = 12;

/// Changes to one target.
pub(super) struct Writer<'a> {
    disk: &'a dyn Disk,
    target: &'a Target,
}

impl<'a> Writer<'a> {
    pub(super) fn new(disk: &'a dyn Disk, target: &'a Target) -> Self {
        Self { disk, target }
    }

    /// Puts `bytes` at `path`, whose folder exists.
    pub(super) fn put(&self, path: &TreePath, bytes: &[u8]) -> Result<(), TreeError> {
        self.replace(
            &self.unfinished(path),
            &path.under(self.target.root()),
            bytes,
        )
    }

    /// Puts `bytes` into a file of our own folder.
    pub(super) fn put_state(&self, name: &str, bytes: &[u8]) -> Result<(), TreeError> {
        self.ensure_folder(STATE_DIR)?;
        let unfinished = self.target.unfinished_state(name);
        self.replace(&unfinished, &self.target.state(name), bytes)
    }

    /// Whether our own folder has a file `name`.
    pub(super) fn has_state(&self, name: &str) -> bool {
        self.target.state(name).symlink_metadata().is_ok()
    }

    /// Removes a file of our own folder, if it is there.
    pub(super) fn remove_state(&self, name: &str) -> Result<(), TreeError> {
        if self.has_state(name) {
            self.remove_at(&self.target.state(name))
        } else {
            Ok(())
        }
    }

    /// Removes the file at `path`, if it is there.
    pub(super) fn remove(&self, path: &TreePath) -> Result<(), TreeError> {
        self.remove_at(&path.under(self.target.root()))
    }

    /// Removes what a killed run left half-written next to `path`.
    pub(super) fn remove_unfinished(&self, path: &TreePath) -> Result<(), TreeError> {
        self.remove_at(&self.unfinished(path))
    }

    /// Removes what a killed run left half-written in our own folder.
    pub(super) fn remove_unfinished_state(&self) -> Result<(), TreeError> {
        STATE_NAMES
            .iter()
            .try_for_each(|name| self.remove_at(&self.target.unfinished_state(name)))
    }

    /// Creates `folder`, whose parent exists, unless it exists.
    pub(super) fn ensure_folder(&self, folder: &str) -> Result<(), TreeError> {
        if self.target.has_folder(folder)? {
            return Ok(());
        }
        let path = self.target.root().join(folder);
        self.disk
            .create_dir(&path)
            .map_err(TreeError::io("create", path))
    }

    /// Removes `folder` unless something is in it.
    pub(super) fn remove_folder_if_empty(&self, folder: &str) -> Result<(), TreeError> {
        let path = self.target.root().join(folder);
        match self.disk.remove_dir(&path) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound
                ) =>
            {
                Err(TreeError::io("remove", path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Copies the user's version of `path` to `.banlieue/edited/`, and answers where, relative to
    /// the target. The name carries the content's digest, so no saved version hides another.
    pub(super) fn save_edited(&self, path: &TreePath) -> Result<Option<PathBuf>, TreeError> {
        let Some(bytes) = read_regular(&path.under(self.target.root()))? else {
            return Ok(None);
        };
        let mut folder = format!("{STATE_DIR}/{EDITED}");
        self.ensure_folder(STATE_DIR)?;
        self.ensure_folder(&folder)?;
        for part in path
            .parent()
            .into_iter()
            .flat_map(|parent| parent.split('/'))
        {
            folder = format!("{folder}/{part}");
            self.ensure_folder(&folder)?;
        }
        let version = Checksum::of(&bytes).prefix(VERSION_DIGITS);
        let name = path.file_name();
        let kept = name.len().min(MAX_NAME - VERSION_DIGITS - 1);
        let saved = Path::new(&folder).join(format!("{}.{version}", &name[..kept]));
        let place = self.target.root().join(&saved);
        if read_regular(&place)?.as_deref() != Some(&bytes) {
            self.replace(&self.target.unfinished_state(EDITED), &place, &bytes)?;
        }
        Ok(Some(saved))
    }

    fn unfinished(&self, path: &TreePath) -> PathBuf {
        path.under(self.target.root())
            .with_file_name(temporary_name(path))
    }

    fn replace(&self, unfinished: &Path, place: &Path, bytes: &[u8]) -> Result<(), TreeError> {
        let written = match self.disk.create_file(unfinished, bytes) {
            // What a killed run left: its journal is gone, or names another file.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.remove_at(unfinished)?;
                self.disk.create_file(unfinished, bytes)
            }
            written => written,
        };
        written
            .and_then(|()| self.disk.rename(unfinished, place))
            .map_err(|error| {
                // The first error is the one to report.
                let _ = self.disk.remove_file(unfinished);
                TreeError::io("write", place)(error)
            })
    }

    fn remove_at(&self, path: &Path) -> Result<(), TreeError> {
        match self.disk.remove_file(path) {
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound) => {
                Err(TreeError::io("remove", path)(error))
            }
            _ => Ok(()),
        }
    }
}

/// The same in every run, so that the next one finds it.
fn temporary_name(path: &TreePath) -> String {
    format!(
        "{TEMPORARY}{}",
        Checksum::of(path.as_str().as_bytes()).prefix(16)
    )
}
