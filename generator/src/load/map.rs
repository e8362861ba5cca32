//! A map of the input.
//!
//! Entries stand in one sorted vector: a map of one entry, of which a hostile input can have
//! hundreds of thousands, then costs a hundred bytes and not a thousand as in a `BTreeMap`.

use super::node::Node;
use crate::diagnostic::Position;

/// Entries by key, in the order of the keys. The order in which they are written has no meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map(Vec<Entry>);

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key is written.
    pub key_at: Position,
    /// The value.
    pub node: Node,
}

impl Map {
    /// A map of entries in any order. Of entries with the same key the first one stays;
    /// `duplicate` gets it and each of the others.
    pub fn new(mut entries: Vec<Entry>, mut duplicate: impl FnMut(&Entry, &Entry)) -> Self {
        entries.sort_by(|left, right| left.key.cmp(&right.key));
        entries.dedup_by(|later, first| {
            let same = later.key == first.key;
            if same {
                duplicate(first, later);
            }
            same
        });
        entries.shrink_to_fit();
        Self(entries)
    }

    /// Adds entries, whose keys are not in the map.
    pub fn extend(&mut self, entries: Vec<Entry>) {
        self.0.extend(entries);
        self.0.sort_by(|left, right| left.key.cmp(&right.key));
    }

    /// Whether there is an entry.
    pub fn contains(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.find(key).and_then(|index| self.0.get(index))
    }

    /// The entry of a key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.find(key).and_then(|index| self.0.get_mut(index))
    }

    /// Takes the entry of a key out.
    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        self.find(key).map(|index| self.0.remove(index))
    }

    /// All keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|entry| entry.key.as_str())
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// All entries.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.0.iter_mut()
    }

    /// All entries.
    pub fn into_entries(self) -> Vec<Entry> {
        self.0
    }

    fn find(&self, key: &str) -> Option<usize> {
        self.0
            .binary_search_by(|entry| entry.key.as_str().cmp(key))
            .ok()
    }
}
