//! What a run would do to a tree, and what it did.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::error::TreeError;
use super::inventory::Inventory;
use super::path::TreePath;

/// What is to happen to one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Rendered, and not there yet.
    Create,
    /// Rendered and in the inventory, but somebody deleted it: it is written again.
    Missing,
    /// Rendered with new content, over content that we wrote.
    Update,
    /// On disk as rendered, whoever wrote it.
    Unchanged,
    /// Ours, covered by this run, and no longer rendered.
    Delete,
    /// As [`Change::Delete`], but it is already gone.
    Gone,
    /// Rendered and ours, but what is on disk is neither what we wrote nor what we render.
    Edited,
    /// Ours and no longer rendered, but what is on disk is not what we wrote.
    EditedDelete,
    /// Rendered, but something that we never wrote is there, with other content.
    Foreign,
}

impl Change {
    /// Whether the run must stop, or set the user's version aside first.
    pub fn is_conflict(self) -> bool {
        matches!(self, Self::Edited | Self::EditedDelete | Self::Foreign)
    }

    /// Whether the rendered content is written.
    pub fn writes(self) -> bool {
        matches!(
            self,
            Self::Create | Self::Missing | Self::Update | Self::Edited | Self::Foreign
        )
    }

    /// Whether a file is removed.
    pub fn deletes(self) -> bool {
        matches!(self, Self::Delete | Self::EditedDelete)
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// Every path that the run renders or covers. A kept path of another scope is not listed.
    pub paths: BTreeMap<TreePath, Change>,
    /// The inventory once the changes are made.
    pub next: Inventory,
}

impl Changes {
    /// The paths with a change that `wanted` accepts, in order.
    pub fn select(
        &self,
        wanted: impl Fn(Change) -> bool,
    ) -> impl Iterator<Item = (&TreePath, Change)> {
        self.paths
            .iter()
            .map(|(path, change)| (path, *change))
            .filter(move |(_, change)| wanted(*change))
    }

    /// An error that names every conflict, if there is one.
    pub fn refuse_conflicts(&self) -> Result<(), TreeError> {
        let conflicts: Vec<_> = self
            .select(Change::is_conflict)
            .map(|(path, change)| (path.clone(), change))
            .collect();
        if conflicts.is_empty() {
            Ok(())
        } else {
            Err(TreeError::Conflicts { conflicts })
        }
    }

    /// Whether a file would be written or removed.
    pub fn touches_files(&self) -> bool {
        self.paths
            .values()
            .any(|change| change.writes() || change.deletes())
    }
}

/// What to do with files that somebody else changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// Stop before the first write.
    #[default]
    Refuse,
    /// Save the user's version under `.banlieue/edited/`, then go on.
    Replace,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files written where none was.
    pub created: usize,
    /// Files written over older content.
    pub updated: usize,
    /// Files removed.
    pub deleted: usize,
    /// Files that were already right.
    pub unchanged: usize,
    /// Where users' versions were saved, relative to the target.
    pub saved: Vec<PathBuf>,
    /// Whether an earlier run had been interrupted and is now completed.
    pub resumed: bool,
}

impl Summary {
    pub(super) fn of(changes: &Changes) -> Self {
        let mut summary = Self::default();
        for change in changes.paths.values() {
            match change {
                Change::Create | Change::Missing => summary.created += 1,
                Change::Update | Change::Edited | Change::Foreign => summary.updated += 1,
                Change::Delete | Change::EditedDelete => summary.deleted += 1,
                Change::Unchanged => summary.unchanged += 1,
                Change::Gone => {}
            }
        }
        summary
    }

    /// Whether no file was written or removed.
    pub fn is_unchanged(&self) -> bool {
        self.created + self.updated + self.deleted == 0
    }
}
