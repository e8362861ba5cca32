//! Objects that go from one file to another.

use std::collections::{BTreeMap, BTreeSet};

use super::ascending::Ascending;
use super::inventory::Inventory;
use super::object::ObjectId;
use super::path::TreePath;

/// An object that another file holds from now on.
///
/// A move between folders that are applied separately is a deletion and a creation to the engine that
/// applies them, in either order (fluxcd/kustomize-controller issue 338), so a person has to know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// The object.
    pub object: ObjectId,
    /// The file that held it.
    pub from: TreePath,
    /// The file that holds it now.
    pub to: TreePath,
}

/// The objects that are in both inventories, but in another file. Pure; in order of object.
///
/// An object that its old file still holds has not moved, even if a second file holds it too.
pub fn moves(before: &Inventory, after: &Inventory) -> Vec<Move> {
    // The usual case, which needs neither of the two maps below.
    let mut still_there = Ascending::new(&after.files);
    if before.files.iter().all(|(path, entry)| {
        let next = still_there.get(path);
        next.is_some_and(|next| next.objects == entry.objects)
    }) {
        return Vec::new();
    }
    let new = holders(after);
    holders(before)
        .into_iter()
        .filter_map(|(object, old_paths)| {
            let new_paths = new.get(object)?;
            if !old_paths.is_disjoint(new_paths) {
                return None;
            }
            let (from, to) = (*old_paths.first()?, *new_paths.first()?);
            Some(Move {
                object: object.clone(),
                from: from.clone(),
                to: to.clone(),
            })
        })
        .collect()
}

fn holders(inventory: &Inventory) -> BTreeMap<&ObjectId, BTreeSet<&TreePath>> {
    let mut holders: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (path, entry) in &inventory.files {
        for object in &*entry.objects {
            holders.entry(object).or_default().insert(path);
        }
    }
    holders
}
