//! A watch that a test feeds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// A test that fails here is told where.
#![allow(clippy::missing_panics_doc)]

use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Event;
use serde_json::Value;

use super::Watch;
use crate::guard::{Guarded, Kind};

/// The watch and what the test tells it.
pub struct Feed<K: Kind> {
    writer: Writer<Guarded<K>>,
    watch: Watch<K>,
}

impl<K: Kind> Default for Feed<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Kind> Feed<K> {
    /// A watch that has not listed yet.
    pub fn new() -> Self {
        let writer = Writer::new(());
        let watch = Watch::of(&writer);
        Self { writer, watch }
    }

    /// A watch that has listed these.
    pub fn listed(objects: &[Value]) -> Self {
        let mut feed = Self::new();
        feed.list(objects);
        feed
    }

    /// The watch.
    pub fn watch(&self) -> &Watch<K> {
        &self.watch
    }

    /// Tells a new list: what is not in it is gone.
    pub fn list(&mut self, objects: &[Value]) {
        self.send(&Event::Init);
        for object in objects {
            self.send(&Event::InitApply(parse(object)));
        }
        self.send(&Event::InitDone);
    }

    /// Tells that an object is new or changed.
    pub fn apply(&mut self, object: &Value) {
        self.send(&Event::Apply(parse(object)));
    }

    /// Tells that an object is gone.
    pub fn delete(&mut self, object: &Value) {
        self.send(&Event::Delete(parse(object)));
    }

    fn send(&mut self, event: &Event<Guarded<K>>) {
        self.watch.take(&mut self.writer, event);
    }
}

fn parse<K: Kind>(object: &Value) -> Guarded<K> {
    serde_json::from_value(object.clone()).unwrap()
}
