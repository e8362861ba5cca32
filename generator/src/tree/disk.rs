//! The effects of a run, one method each, so that a test can stop a run between any two.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Everything that a run does to a directory.
pub trait Disk: Sync {
    /// Creates a directory whose parent exists.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Creates a file that does not exist yet, with all of `bytes`. Never writes through a link.
    fn create_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Gives a file its final name, in place of what has that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory if it is empty.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
}

/// The file system. Files get mode 0644, less the user's umask.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .open(path)?
            .write_all(bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}
