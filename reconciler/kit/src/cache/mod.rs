//! What the API server holds, as last heard: one watch a kind, shared by everyone in the process.
//!
//! A [`Watch`] fills a [`Cache`] and tells subscribers what changed. After a broken watch it lists
//! again; what vanished meanwhile is told as deleted, and nobody is told before the cache has it.

#[cfg(test)]
pub(crate) mod feed;
mod watch;

use std::sync::Arc;

use kube::runtime::reflector::store::Writer;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::watcher::Event;

use crate::guard::{Guarded, Kind};

pub use watch::{Change, Watch, WatchOptions, Watches};

/// Read access to the objects of one kind. Cheap to clone, never blocks on the network.
///
/// It may lag behind the API server: whoever decides by it must be safe against old news, and is
/// called again when the news arrives.
#[derive(Clone, Debug)]
pub struct Cache<K: Kind>(Store<Guarded<K>>);

impl<K: Kind> Cache<K> {
    /// A cache that holds these objects for ever, for whoever tests a look-up.
    pub fn of(objects: impl IntoIterator<Item = K>) -> Self {
        let mut writer = Writer::new(());
        writer.apply_watcher_event(&Event::Init);
        for object in objects {
            writer.apply_watcher_event(&Event::InitApply(object.into()));
        }
        writer.apply_watcher_event(&Event::InitDone);
        Self(writer.as_reader())
    }

    /// The object of that name, if it exists and is valid. `namespace` is `None` for
    /// cluster-scoped kinds.
    pub fn get(&self, namespace: Option<&str>, name: &str) -> Option<Arc<K>> {
        self.lookup(namespace, name)?.valid().cloned()
    }

    /// The object of that name, even if it does not parse.
    pub fn lookup(&self, namespace: Option<&str>, name: &str) -> Option<Guarded<K>> {
        let reference = ObjectRef::new(name);
        let reference = match namespace {
            Some(namespace) => reference.within(namespace),
            None => reference,
        };
        self.0.get(&reference).map(|object| (*object).clone())
    }

    /// All valid objects, in no order.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.filter(|_| true)
    }

    /// The valid objects that satisfy `wanted`, in no order.
    pub fn filter(&self, wanted: impl Fn(&K) -> bool) -> Vec<Arc<K>> {
        self.0
            .state()
            .iter()
            .filter_map(|object| object.valid())
            .filter(|object| wanted(object))
            .cloned()
            .collect()
    }

    /// All objects, those that do not parse included, in no order.
    pub fn all(&self) -> Vec<Guarded<K>> {
        let state = self.0.state();
        state.iter().map(|object| (**object).clone()).collect()
    }

    pub(crate) fn store(&self) -> Store<Guarded<K>> {
        self.0.clone()
    }

    /// Waits until the first list has arrived. Before, "not there" means nothing.
    ///
    /// Never returns if the watch ended before that.
    pub async fn ready(&self) {
        if self.0.wait_until_ready().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests;
