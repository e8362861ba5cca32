//! Records the watches of several kinds.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::ApiResource;
use kube::{Api, Client, Resource, ResourceExt as _};
use tokio::task::JoinSet;

use super::entry::{Entry, Event};
use super::order::{Step, check_order};
use super::sequence::Sequence;
use crate::wait::eventually;

/// The kind `K`, to be recorded.
pub fn kind<K: Resource<DynamicType = ()>>() -> ApiResource {
    ApiResource::erase::<K>(&())
}

/// A recording that goes on until it is dropped.
pub struct History {
    client: Client,
    kinds: Vec<ApiResource>,
    record: Arc<Mutex<Record>>,
    _watches: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Record {
    entries: Vec<Entry>,
    /// Why a watch ended. Entries after it are missing.
    failure: Option<String>,
}

impl History {
    /// Begins to record all objects of `kinds`. What exists is in the record as
    /// [`Event::Found`]; nothing that happens after the return is missed.
    pub async fn record(client: &Client, kinds: Vec<ApiResource>) -> Result<Self> {
        let record = Arc::new(Mutex::new(Record::default()));
        let mut watches = JoinSet::new();
        for kind in &kinds {
            let api: Api<DynamicObject> = Api::all_with(client.clone(), kind);
            let list = api.list(&ListParams::default()).await?;
            let start = list.metadata.resource_version.context("no version")?;
            let mut record_now = lock(&record);
            for object in list.items {
                let entry = Entry::new(Event::Found, &kind.kind, object)?;
                record_now.entries.push(entry);
            }
            drop(record_now);
            let (kind, record) = (kind.kind.clone(), Arc::clone(&record));
            watches.spawn(async move {
                if let Err(error) = watch(&api, &kind, start, &record).await {
                    lock(&record).failure = Some(format!("watch of {kind}: {error:#}"));
                }
            });
        }
        Ok(Self {
            client: client.clone(),
            kinds,
            record,
            _watches: watches,
        })
    }

    /// Everything up to now, in the store's order: waits until the record has what
    /// the API server has. Only an object that was both created and deleted in the
    /// last few milliseconds can be missing.
    pub async fn entries(&self) -> Result<Vec<Entry>> {
        for kind in &self.kinds {
            let api: Api<DynamicObject> = Api::all_with(self.client.clone(), kind);
            let list = api.list(&ListParams::default()).await?;
            let mut stored = BTreeMap::new();
            for object in list {
                let version: u64 = object.resource_version().context("no version")?.parse()?;
                let key = (object.namespace().unwrap_or_default(), object.name_any());
                stored.insert(key, version);
            }
            eventually("the record to catch up", async || {
                caught_up(&lock(&self.record).entries, &kind.kind, &stored)
            })
            .await?;
        }
        let record = lock(&self.record);
        if let Some(failure) = &record.failure {
            bail!("{failure}");
        }
        let mut entries = record.entries.clone();
        entries.sort_by_key(|entry| entry.resource_version);
        Ok(entries)
    }

    /// Checks the order of everything up to now, see [`check_order`]. Returns what was seen.
    ///
    /// # Panics
    /// If it differs, or if the record is not whole.
    pub async fn assert_order(&self, steps: &[Step<'_>]) -> Sequence {
        let checked = match self.entries().await {
            Ok(entries) => check_order(&entries, steps),
            Err(error) => Err(format!("{error:#}")),
        };
        checked.unwrap_or_else(|failure| panic!("{failure}"))
    }
}

/// Whether every stored object of `kind` was recorded as new as it is, and every
/// other one as deleted.
fn caught_up(
    entries: &[Entry],
    kind: &str,
    stored: &BTreeMap<(String, String), u64>,
) -> Result<()> {
    let mut latest = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.kind == kind) {
        latest.insert((entry.namespace.clone(), entry.name.clone()), entry);
    }
    for (key, version) in stored {
        let seen = latest.get(key).map_or(0, |entry| entry.resource_version);
        ensure!(seen >= *version, "{kind} {key:?}: {seen}, not {version}");
    }
    for (key, entry) in &latest {
        ensure!(
            entry.event == Event::Deleted || stored.contains_key(key),
            "{kind} {key:?}: its deletion was not recorded"
        );
    }
    Ok(())
}

/// Follows a watch, and begins another where the API server ends one.
async fn watch(
    api: &Api<DynamicObject>,
    kind: &str,
    mut version: String,
    record: &Mutex<Record>,
) -> Result<()> {
    loop {
        let events = api.watch(&WatchParams::default(), &version).await?;
        let mut events = events.boxed();
        while let Some(event) = events.try_next().await? {
            let (event, object) = match event {
                WatchEvent::Added(object) => (Event::Added, object),
                WatchEvent::Modified(object) => (Event::Modified, object),
                WatchEvent::Deleted(object) => (Event::Deleted, object),
                WatchEvent::Bookmark(bookmark) => {
                    version = bookmark.metadata.resource_version;
                    continue;
                }
                WatchEvent::Error(status) => bail!("{}", status.message),
            };
            version = object.resource_version().context("no version")?;
            let entry = Entry::new(event, kind, object)?;
            lock(record).entries.push(entry);
        }
    }
}

/// The record is whole even after a panic elsewhere: entries are only pushed.
fn lock(record: &Mutex<Record>) -> MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}
