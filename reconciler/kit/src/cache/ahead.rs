//! What this process wrote and its watch has not told yet.

use std::collections::{HashMap, HashSet};

use kube::Resource;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher::Event;

use crate::guard::{Guarded, Kind};

/// Objects newer than what the watch told.
///
/// A watch tells changes in the order of their resource versions, which are numbers that can be
/// compared within one kind. So whatever is not newer than the last that was told is known, its
/// deletion included. An API server whose versions are no numbers gets no objects in here, and
/// readers see what the watch told.
#[derive(Debug)]
pub(super) struct Ahead<K: Kind> {
    objects: HashMap<ObjectRef<Guarded<K>>, (u64, Guarded<K>)>,
    told: u64,
    /// UIDs of objects without our finalizer, which the watch still shows. The API server answers
    /// the removal of the last finalizer with an old version, so that they cannot be in `objects`.
    let_go: HashSet<String>,
}

impl<K: Kind> Default for Ahead<K> {
    fn default() -> Self {
        Self {
            objects: HashMap::new(),
            told: 0,
            let_go: HashSet::new(),
        }
    }
}

impl<K: Kind> Ahead<K> {
    pub(super) fn get(&self, reference: &ObjectRef<Guarded<K>>) -> Option<Guarded<K>> {
        let (_, object) = self.objects.get(reference)?;
        Some(object.clone())
    }

    pub(super) fn all(&self) -> Vec<Guarded<K>> {
        let objects = self.objects.values();
        objects.map(|(_, object)| object.clone()).collect()
    }

    pub(super) fn add(&mut self, object: Guarded<K>) {
        let reference = ObjectRef::from_obj(&object);
        let known = self.objects.get(&reference).map_or(0, |(known, _)| *known);
        if let Some(version) = version(&object)
            && version > self.told.max(known)
        {
            self.objects.insert(reference, (version, object));
        }
    }

    pub(super) fn let_go(&mut self, uid: &str) {
        self.let_go.insert(uid.to_owned());
    }

    pub(super) fn was_let_go(&self, uid: &str) -> bool {
        self.let_go.contains(uid)
    }

    /// Drops what the watch told too. A new list drops everything: what it lacks may be gone.
    pub(super) fn hear(&mut self, event: &Event<Guarded<K>>) {
        match event {
            Event::Init => {}
            Event::InitApply(object) => self.reach(object),
            Event::InitDone => {
                self.objects.clear();
                self.let_go.clear();
            }
            Event::Apply(object) | Event::Delete(object) => {
                if let (Event::Delete(_), Some(uid)) = (event, &object.meta().uid) {
                    self.let_go.remove(uid);
                }
                self.reach(object);
                let told = self.told;
                self.objects.retain(|_, (version, _)| *version > told);
            }
        }
    }

    fn reach(&mut self, object: &Guarded<K>) {
        self.told = self.told.max(version(object).unwrap_or_default());
    }
}

fn version<K: Kind>(object: &Guarded<K>) -> Option<u64> {
    object.meta().resource_version.as_deref()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::sync::Arc;

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Resource;
    use serde_json::{Value, json};

    use crate::cache::feed::Feed;

    fn stored(name: &str, version: u32) -> Value {
        json!({"metadata": {"name": name, "namespace": "ns", "resourceVersion": version.to_string()}})
    }

    fn parsed(name: &str, version: u32) -> Arc<ConfigMap> {
        Arc::new(serde_json::from_value(stored(name, version)).unwrap())
    }

    /// Versions of the objects, by name.
    fn versions(feed: &Feed<ConfigMap>) -> Vec<String> {
        let all = feed.watch().cache().list();
        let mut all: Vec<String> = all
            .iter()
            .map(|object| {
                let meta = &object.metadata;
                let version = meta.resource_version.clone().unwrap();
                format!("{}:{version}", meta.name.clone().unwrap())
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn what_was_written_is_seen_before_the_watch_tells_it() {
        let mut feed = Feed::<ConfigMap>::listed(&[stored("a", 1)]);
        let cache = feed.watch().cache().clone();
        cache.wrote(&parsed("a", 5));
        cache.wrote(&parsed("b", 6));
        assert_eq!(versions(&feed), ["a:5", "b:6"]);
        assert!(cache.get(Some("ns"), "b").is_some());
        feed.apply(&stored("a", 5));
        feed.apply(&stored("a", 7));
        assert_eq!(
            versions(&feed),
            ["a:7"],
            "the watch is past b, and did not tell it"
        );
    }

    #[test]
    fn an_answer_that_comes_after_the_news_changes_nothing() {
        let mut feed = Feed::<ConfigMap>::listed(&[]);
        feed.apply(&stored("a", 5));
        feed.delete(&stored("a", 6));
        feed.watch().cache().wrote(&parsed("a", 5));
        assert!(versions(&feed).is_empty());
    }

    #[test]
    fn a_reconcile_that_was_called_with_old_news_gets_what_was_written_since() {
        let feed = Feed::<ConfigMap>::listed(&[stored("a", 1)]);
        let cache = feed.watch().cache();
        let old = cache.lookup(Some("ns"), "a").unwrap();
        cache.wrote(&parsed("a", 5));
        let newest = cache.newest(&old).meta().resource_version.clone();
        assert_eq!(newest.as_deref(), Some("5"));
    }

    #[test]
    fn an_object_that_was_let_go_is_known_as_such_after_the_watch_told_its_end_too() {
        let with_uid = |version: u32| {
            let mut object = stored("a", version);
            object["metadata"]["uid"] = json!("u");
            object
        };
        let mut feed = Feed::<ConfigMap>::listed(&[with_uid(1)]);
        let cache = feed.watch().cache().clone();
        let meta = cache.get(Some("ns"), "a").unwrap().metadata.clone();
        assert!(!cache.was_let_go(&meta));
        cache.let_go(&meta);
        assert!(cache.was_let_go(&meta));
        feed.apply(&with_uid(2));
        assert!(cache.was_let_go(&meta), "others may still hold it");
        feed.delete(&with_uid(3));
        assert!(cache.was_let_go(&meta), "who read it before asks after");
        cache.let_go(&meta);
        feed.apply(&with_uid(4));
        assert!(!cache.was_let_go(&meta), "nothing is remembered of it");
    }

    #[test]
    fn a_new_list_decides() {
        let mut feed = Feed::<ConfigMap>::listed(&[]);
        feed.watch().cache().wrote(&parsed("a", 5));
        feed.list(&[stored("b", 2)]);
        assert_eq!(versions(&feed), ["b:2"]);
    }
}
