//! Look-ups in ascending order, at the cost of one walk.

use std::collections::btree_map::{BTreeMap, Iter};
use std::iter::Peekable;

use super::path::TreePath;

/// Looks up paths that only ascend. A tree has many paths with long common beginnings, so that a
/// search for each of them would mostly compare what is alike.
pub(super) struct Ascending<'a, V>(Peekable<Iter<'a, TreePath, V>>);

impl<'a, V> Ascending<'a, V> {
    pub(super) fn new(map: &'a BTreeMap<TreePath, V>) -> Self {
        Self(map.iter().peekable())
    }

    /// The value of `path`, which is not less than the one asked for before.
    pub(super) fn get(&mut self, path: &TreePath) -> Option<&'a V> {
        while self.0.next_if(|(next, _)| *next < path).is_some() {}
        self.0
            .next_if(|(next, _)| *next == path)
            .map(|(_, value)| value)
    }
}
