//! What the API server holds, as last heard: one watch a kind, shared by everyone in the process.
//!
//! A [`Watch`] fills a [`Cache`] and tells subscribers what changed. After a broken watch it lists
//! again; what vanished meanwhile is told as deleted, and nobody is told before the cache has it.

mod ahead;
#[cfg(any(test, feature = "test-support"))]
pub mod feed;
mod retry;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource as _;
use kube::runtime::reflector::store::Writer;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::watcher::Event;
use tokio::sync::SetOnce;

use crate::guard::{Guarded, Kind};

use ahead::Ahead;
pub use watch::{Change, Watch, WatchOptions, Watches};

/// Read access to the objects of one kind. Cheap to clone, never blocks on the network.
///
/// It may lag behind the API server: whoever decides by it must be safe against old news, and is
/// called again when the news arrives. What this process wrote itself need not lag, see
/// [`Cache::wrote`].
#[derive(Clone, Debug)]
pub struct Cache<K: Kind> {
    heard: Store<Guarded<K>>,
    ahead: Arc<Mutex<Ahead<K>>>,
    /// That of the store wakes only the last of those who wait for it.
    listed: Arc<SetOnce<()>>,
    /// Set with the first list, or with the first refusal.
    answered: Arc<SetOnce<()>>,
}

impl<K: Kind> Cache<K> {
    fn new(writer: &Writer<Guarded<K>>) -> Self {
        Self {
            heard: writer.as_reader(),
            ahead: Arc::default(),
            listed: Arc::default(),
            answered: Arc::default(),
        }
    }

    /// A cache that holds these objects for ever, for whoever tests a look-up.
    pub fn of(objects: impl IntoIterator<Item = K>) -> Self {
        let mut writer = Writer::new(());
        writer.apply_watcher_event(&Event::Init);
        for object in objects {
            writer.apply_watcher_event(&Event::InitApply(object.into()));
        }
        writer.apply_watcher_event(&Event::InitDone);
        let cache = Self::new(&writer);
        cache.listed();
        cache
    }

    /// The object of that name, if it exists and is valid. `namespace` is `None` for
    /// cluster-scoped kinds.
    pub fn get(&self, namespace: Option<&str>, name: &str) -> Option<Arc<K>> {
        self.lookup(namespace, name)?.valid().cloned()
    }

    /// The object of that name, even if it does not parse.
    pub fn lookup(&self, namespace: Option<&str>, name: &str) -> Option<Guarded<K>> {
        let reference = reference(namespace, name);
        let ahead = self.ahead().get(&reference);
        ahead.or_else(|| self.heard.get(&reference).map(|object| (*object).clone()))
    }

    /// All valid objects, in no order.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.filter(|_| true)
    }

    /// The valid objects that satisfy `wanted`, in no order.
    pub fn filter(&self, wanted: impl Fn(&K) -> bool) -> Vec<Arc<K>> {
        let objects = self.all();
        let valid = objects.iter().filter_map(Guarded::valid);
        valid.filter(|object| wanted(object)).cloned().collect()
    }

    /// All objects, those that do not parse included, in no order.
    pub fn all(&self) -> Vec<Guarded<K>> {
        let ahead = self.ahead().all();
        let heard = self.heard();
        if ahead.is_empty() {
            return heard;
        }
        let key = |object: &Guarded<K>| ObjectRef::from_obj(object);
        let heard = heard.into_iter().map(|object| (key(&object), object));
        let mut all: HashMap<_, _> = heard.collect();
        all.extend(ahead.into_iter().map(|object| (key(&object), object)));
        all.into_values().collect()
    }

    /// Takes in an object that this process wrote, as the API server answered it: the next look
    /// sees it, however late the watch is. Once the watch got that far it decides again.
    pub fn wrote(&self, object: &Arc<K>) {
        self.ahead().add(Guarded::Valid(Arc::clone(object)));
    }

    /// Takes in that this process took its finalizer off the object, for [`Cache::was_let_go`].
    pub fn let_go(&self, meta: &ObjectMeta) {
        let uid = meta.uid.as_deref().unwrap_or_default();
        // Under the lock: a watch that told the end before has taken the object out, and one that
        // tells it later finds the UID.
        let mut ahead = self.ahead();
        if self.shows(meta) {
            ahead.let_go(uid);
        }
    }

    /// Whether nothing holds this process to the object any more: it took its finalizer off, or the
    /// watch told the end of the object, maybe after the caller had read it.
    pub fn was_let_go(&self, meta: &ObjectMeta) -> bool {
        let uid = meta.uid.as_deref().unwrap_or_default();
        // In this order: a watch that takes the UID out has taken the object out before.
        self.ahead().was_let_go(uid) || !self.shows(meta)
    }

    /// Whether the watch shows the object, and no later one of its name.
    fn shows(&self, meta: &ObjectMeta) -> bool {
        let name = meta.name.as_deref().unwrap_or_default();
        let heard = self.heard.get(&reference(meta.namespace.as_deref(), name));
        heard.is_some_and(|object| object.meta().uid == meta.uid)
    }

    /// The object, or what this process wrote to it later.
    pub(crate) fn newest(&self, object: &Guarded<K>) -> Guarded<K> {
        let ahead = self.ahead().get(&ObjectRef::from_obj(object));
        ahead.unwrap_or_else(|| object.clone())
    }

    /// What the watch told, and nothing else.
    fn heard(&self) -> Vec<Guarded<K>> {
        let state = self.heard.state();
        state.iter().map(|object| (**object).clone()).collect()
    }

    pub(crate) fn store(&self) -> Store<Guarded<K>> {
        self.heard.clone()
    }

    fn ahead(&self) -> MutexGuard<'_, Ahead<K>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the first list has arrived. Before, "not there" means nothing.
    ///
    /// Never returns if the watch ended before that.
    pub async fn ready(&self) {
        self.listed.wait().await;
    }

    /// Waits until the first list has arrived, or the API server said that this process may not
    /// have it, for whoever has to tell people either way.
    pub async fn answered(&self) {
        self.answered.wait().await;
    }

    /// Whether the first list has arrived.
    pub fn is_ready(&self) -> bool {
        self.listed.initialized()
    }

    fn listed(&self) {
        // Later lists find it set.
        let _ = self.listed.set(());
        let _ = self.answered.set(());
    }
}

fn reference<K: Kind>(namespace: Option<&str>, name: &str) -> ObjectRef<Guarded<K>> {
    let reference = ObjectRef::new(name);
    match namespace {
        Some(namespace) => reference.within(namespace),
        None => reference,
    }
}

#[cfg(test)]
mod tests;
