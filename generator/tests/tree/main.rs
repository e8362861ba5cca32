//! The tree module against real directories, mounts and locks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod diffs;
mod edits;
mod full_disk;
mod interrupted;
mod inventory;
mod locking;
mod paths;
mod scopes;
mod silence;
mod support;
mod targets;
