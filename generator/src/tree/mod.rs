//! The output side: compare rendered files with a directory, write what differs, prune what is ours.
//!
//! This is the only module that changes a user's directory. Its rules, each with a test:
//!
//! * **Only what the inventory lists is ever deleted**, whatever the directory is, and only when the
//!   run covers the file's scope, no longer renders it, and nobody edited it since.
//! * **Any directory may be the target if it agrees.** `.`, `..` and a directory that is not empty
//!   are accepted when no path that would be written holds other content. `/`, the home directory, a
//!   symbolic link, and anything inside `.git` or `.banlieue` are refused outright.
//! * **No symbolic link is followed at or below the target.** One that stands on a path to be
//!   written or deleted stops the run. The check and the change are two steps, so somebody who
//!   swaps directories for links while a render runs is not defended against, and neither is an
//!   edit saved between the comparison and the write.
//! * **A run refuses before its first write or not at all.** Edits and foreign files stop it with
//!   their paths, unless [`Edits::Replace`] asks to set them aside under `.banlieue/edited/` first.
//! * **A kill at any point is harmless.** A file is replaced by renaming a finished temporary one, so
//!   it is entirely old or entirely new. The journal `.banlieue/pending.json` names every digest that
//!   the run may leave behind, so that the next run knows its own work from a user's edit.
//! * **Nothing changed means nothing touched**: no write, no new modification time, no journal.
//!
//! Files are not flushed to the device one by one: git is the durable store, the journal and the
//! digests find a file that a power cut left short, and 20,000 flushes would cost minutes.
//!
//! The usual sequence is [`lock()`] (or [`inspect`] for a dry run), [`Inventory::union`] to draw index
//! files, [`Existing::compare`], then [`write()`].

mod ascending;
mod changes;
mod checksum;
mod compare;
mod diff;
mod disk;
mod error;
mod existing;
mod fields;
mod inventory;
mod lock;
mod moves;
mod object;
mod observe;
mod opaque;
mod path;
mod rendered;
mod target;
mod twins;
mod write;
mod writer;

use std::path::Path;

pub use changes::{Change, Changes, Edits, Summary};
pub use checksum::Checksum;
pub use compare::compare;
pub use diff::{FieldChange, FileDiff, diff_changes, diff_file, field_changes, text_diff};
pub use disk::{Disk, RealDisk};
pub use error::TreeError;
pub use existing::Existing;
pub use inventory::{Entry, Inventory, ScopeInfo, Union};
pub use lock::Lock;
pub use moves::{Move, moves};
pub use object::ObjectId;
pub use observe::Observed;
pub use opaque::Opaque;
pub use path::{PathError, Scope, TreePath};
pub use rendered::{Covers, File, Rendered};
pub use target::Target;
pub use write::{write, write_with};

/// Opens `dir` for reading only: no lock, no effect. A directory that does not exist is an empty tree.
///
/// `home` is the user's home directory, which is never a target.
pub fn inspect(dir: &Path, home: Option<&Path>) -> Result<Existing, TreeError> {
    Existing::survey(Target::open(dir, home)?)
}

/// Opens `dir` for a run that may write, creating it if it does not exist.
///
/// Fails at once with [`TreeError::Locked`] while another run holds the lock. The lock is taken
/// before anything is read, so that what is compared is what is written over.
pub fn lock(dir: &Path, home: Option<&Path>) -> Result<(Lock, Existing), TreeError> {
    let target = Target::open(dir, home)?;
    let lock = Lock::take(&target)?;
    Ok((lock, Existing::survey(target)?))
}
