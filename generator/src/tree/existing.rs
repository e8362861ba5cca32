//! What is in a tree before a run.

use std::collections::HashMap;

use super::changes::Changes;
use super::compare::compare;
use super::error::TreeError;
use super::inventory::Inventory;
use super::observe::{Observed, folder_exists, observe};
use super::path::{STATE_DIR, TreePath};
use super::rendered::{Covers, Rendered};
use super::target::{Target, read_regular};

pub(super) const INVENTORY: &str = "inventory.json";
pub(super) const JOURNAL: &str = "pending.json";
pub(super) const IGNORE: &str = ".gitignore";
pub(super) const ATTRIBUTES: &str = ".gitattributes";
pub(super) const EDITED: &str = "edited";
/// What is written in our own folder, each first under an unfinished name.
pub(super) const STATE_NAMES: [&str; 5] = [INVENTORY, JOURNAL, IGNORE, ATTRIBUTES, EDITED];

/// A tree as it was found.
#[derive(Clone, Debug)]
pub struct Existing {
    target: Target,
    inventory: Inventory,
    /// Whether `inventory` is what the file on disk says.
    recorded: bool,
    pending: Option<Inventory>,
    interrupted: bool,
}

impl Existing {
    /// Reads the inventory and the journal of `target`.
    ///
    /// A journal is what a killed run leaves. It is an inventory of the files that the run was about
    /// to write. Those whose digest is now on disk were written; they count as ours from here on.
    pub fn survey(target: Target) -> Result<Self, TreeError> {
        target.has_folder(STATE_DIR)?;
        let stored = read_inventory(&target, INVENTORY)?;
        let pending = read_inventory(&target, JOURNAL)?;
        let unfinished = STATE_NAMES
            .iter()
            .any(|name| target.unfinished_state(name).symlink_metadata().is_ok());
        let mut existing = Self {
            target,
            recorded: stored.is_some(),
            inventory: stored.unwrap_or_default(),
            interrupted: pending.is_some() || unfinished,
            pending,
        };
        existing.settle()?;
        Ok(existing)
    }

    /// What is known to be ours, work of an interrupted run included.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Whether the last run was interrupted.
    pub fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// The directory.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether the inventory on disk says what [`Existing::inventory`] does.
    pub(super) fn recorded(&self) -> bool {
        self.recorded
    }

    /// What an interrupted run may have written.
    pub(super) fn pending_paths(&self) -> impl Iterator<Item = &TreePath> {
        self.pending.iter().flat_map(|pending| pending.files.keys())
    }

    /// Digests the files that a run could change, then decides what it does: see [`compare`].
    pub fn compare(&self, rendered: &Rendered, covers: &Covers<'_>) -> Result<Changes, TreeError> {
        let files = rendered.files().iter().map(|file| &file.path);
        let covered = self.inventory.covered(covers).map(|(path, _)| path);
        let observed = observe(&self.target, files.chain(covered))?;
        compare(&self.inventory, &observed, rendered, covers)
    }

    /// Digests those of `paths` that exist. A symbolic link on the way to one, or something that is
    /// no regular file, is an error.
    pub fn observe<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a TreePath>,
    ) -> Result<Observed, TreeError> {
        observe(&self.target, paths)
    }

    /// The content of a file, or `None` if it does not exist.
    pub fn read(&self, path: &TreePath) -> Result<Option<Vec<u8>>, TreeError> {
        if folder_exists(&self.target, path.parent(), &mut HashMap::new())? {
            read_regular(&path.under(self.target.root()))
        } else {
            Ok(None)
        }
    }

    fn settle(&mut self) -> Result<(), TreeError> {
        let Some(pending) = &self.pending else {
            return Ok(());
        };
        let observed = self.observe(pending.files.keys())?;
        for (path, entry) in &pending.files {
            if observed.get(path) != Some(&entry.sha256) {
                continue;
            }
            if let Some(info) = pending.scopes.get(&entry.scope) {
                self.inventory
                    .scopes
                    .insert(entry.scope.clone(), info.clone());
            }
            self.inventory.files.insert(path.clone(), entry.clone());
            self.recorded = false;
        }
        Ok(())
    }
}

fn read_inventory(target: &Target, name: &str) -> Result<Option<Inventory>, TreeError> {
    let path = target.state(name);
    read_regular(&path)?
        .map(|bytes| Inventory::from_json(&path.display().to_string(), &bytes))
        .transpose()
}
