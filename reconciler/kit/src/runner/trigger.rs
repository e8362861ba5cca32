//! Which changes of an object call for a reconcile.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use kube::Resource;
use kube::runtime::reflector::ObjectRef;
use serde::Serialize;

use crate::cache::Change;
use crate::guard::{Guarded, Kind};

/// Which changes of a watched object count. The first sight and the end of an object always do.
pub enum Trigger<K> {
    /// Every change.
    Any,
    /// What people and other programs ask for: the spec (by `generation`), labels, annotations,
    /// finalizers, owners and deletion. Not the status: right where this process writes it.
    Intent,
    /// As [`Self::Intent`], and a change of what the function picks from the object, see
    /// [`fingerprint`].
    IntentAnd(fn(&K) -> u64),
    /// That it is there, its labels, annotations, finalizers and owners, and its deletion. Not what
    /// is in it: right where others write that all the time, as into a Lease.
    Metadata,
}

impl<K> Clone for Trigger<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Trigger<K> {}

/// Hash of a value by its JSON. `None`, and equal values of different types, give equal hashes.
pub fn fingerprint(value: &impl Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    // A value that has no JSON is never stored by the API server either.
    if let Ok(json) = serde_json::to_string(value) {
        json.hash(&mut hasher);
    }
    hasher.finish()
}

/// Lets through the changes that count. It remembers one number for each object.
pub(super) struct Filter<K: Kind> {
    trigger: Trigger<K>,
    seen: HashMap<ObjectRef<Guarded<K>>, u64>,
}

impl<K: Kind> Filter<K> {
    pub(super) fn new(trigger: Trigger<K>) -> Self {
        Self {
            trigger,
            seen: HashMap::new(),
        }
    }

    pub(super) fn passes(&mut self, change: &Change<K>) -> bool {
        let reference = ObjectRef::from_obj(&change.object);
        if change.deleted {
            self.seen.remove(&reference);
            return true;
        }
        match self.print(&change.object) {
            Some(print) => self.seen.insert(reference, print) != Some(print),
            None => true,
        }
    }

    fn print(&self, object: &Guarded<K>) -> Option<u64> {
        let pick = match self.trigger {
            Trigger::Any => return None,
            Trigger::Intent | Trigger::Metadata => None,
            Trigger::IntentAnd(pick) => Some(pick),
        };
        let mut hasher = DefaultHasher::new();
        let meta = object.meta();
        meta.uid.hash(&mut hasher);
        match (self.trigger, meta.generation) {
            (Trigger::Metadata, _) => {}
            (_, Some(generation)) => generation.hash(&mut hasher),
            // Kinds without a generation have no status either.
            (_, None) => meta.resource_version.hash(&mut hasher),
        }
        meta.labels.hash(&mut hasher);
        meta.annotations.hash(&mut hasher);
        meta.finalizers.hash(&mut hasher);
        meta.deletion_timestamp.is_some().hash(&mut hasher);
        fingerprint(&meta.owner_references).hash(&mut hasher);
        match object {
            Guarded::Valid(object) => pick.map(|pick| pick(object)).hash(&mut hasher),
            Guarded::Invalid(invalid) => invalid.error.hash(&mut hasher),
        }
        Some(hasher.finish())
    }
}

#[cfg(test)]
mod tests;
