//! A watch that a test feeds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::Event;
use serde_json::Value;

use super::Watch;
use crate::guard::{Guarded, Kind};

pub(crate) struct Feed<K: Kind> {
    writer: Writer<Guarded<K>>,
    watch: Watch<K>,
}

impl<K: Kind> Feed<K> {
    /// A watch that has not listed yet.
    pub(crate) fn new() -> Self {
        let writer = Writer::new(());
        let watch = Watch::of(&writer);
        Self { writer, watch }
    }

    /// A watch that has listed these.
    pub(crate) fn listed(objects: &[Value]) -> Self {
        let mut feed = Self::new();
        feed.list(objects);
        feed
    }

    pub(crate) fn watch(&self) -> &Watch<K> {
        &self.watch
    }

    pub(crate) fn list(&mut self, objects: &[Value]) {
        self.send(&Event::Init);
        for object in objects {
            self.send(&Event::InitApply(parse(object)));
        }
        self.send(&Event::InitDone);
    }

    pub(crate) fn apply(&mut self, object: &Value) {
        self.send(&Event::Apply(parse(object)));
    }

    pub(crate) fn delete(&mut self, object: &Value) {
        self.send(&Event::Delete(parse(object)));
    }

    fn send(&mut self, event: &Event<Guarded<K>>) {
        self.watch.take(&mut self.writer, event);
    }
}

fn parse<K: Kind>(object: &Value) -> Guarded<K> {
    serde_json::from_value(object.clone()).unwrap()
}
