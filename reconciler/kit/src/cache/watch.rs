//! The watch behind a cache.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::mpsc;
use futures::future::BoxFuture;
use futures::{FutureExt, Stream, StreamExt, stream};
use kube::runtime::WatchStreamExt;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::reflector::store::Writer;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, Resource};
use tokio::time::Instant;

use super::Cache;
use super::retry::Retry;
use crate::api;
use crate::errors::{ErrorKind, chain};
use crate::guard::{Guarded, Kind};
use crate::health::{Handle, Health};
use crate::managed;

/// Which objects of a kind are watched, and what of them is kept.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// Only this namespace; `None` for all, and for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// Only what this label selector matches, as in `key=value,other`.
    pub labels: Option<String>,
    /// Only what this field selector matches, as in `metadata.name=x`.
    pub fields: Option<String>,
    /// Keeps what of `metadata.managedFields` was applied, which [`apply`](crate::apply::apply)
    /// needs in order to leave out requests.
    pub managed_fields: bool,
    /// The kind may be missing, such as one of another project. Until the API server serves it,
    /// there are no objects of it.
    pub optional: bool,
}

impl WatchOptions {
    fn config(&self) -> watcher::Config {
        let mut config = watcher::Config::default();
        config.label_selector.clone_from(&self.labels);
        config.field_selector.clone_from(&self.fields);
        config
    }
}

/// What the API server said instead of what is there, if it said anything.
fn refusal(error: &watcher::Error) -> Option<ErrorKind> {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => Some(ErrorKind::from(error)),
        _ => None,
    }
}

/// What happened to an object.
#[derive(Clone, Debug)]
pub struct Change<K> {
    /// The object after the change, or as it was last seen.
    pub object: Guarded<K>,
    /// Whether it is gone.
    pub deleted: bool,
}

/// Handle on a watch: its cache and its news. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Watch<K: Kind> {
    cache: Cache<K>,
    subscribers: Arc<Mutex<Vec<mpsc::UnboundedSender<Change<K>>>>>,
}

impl<K: Kind> Watch<K> {
    /// A watch of what `writer` gets.
    pub(super) fn of(writer: &Writer<Guarded<K>>) -> Self {
        Self {
            cache: Cache::new(writer),
            subscribers: Arc::default(),
        }
    }

    /// The objects as last heard.
    pub fn cache(&self) -> &Cache<K> {
        &self.cache
    }

    /// All that is there now, then every change, in order.
    ///
    /// The stream has no bound: whoever holds it has to read it.
    pub fn subscribe(&self) -> impl Stream<Item = Change<K>> + Send + use<K> {
        let (sender, receiver) = mpsc::unbounded();
        let present = {
            let mut subscribers = self.lock();
            subscribers.push(sender);
            self.cache.heard()
        };
        let present = present.into_iter().map(|object| Change {
            object,
            deleted: false,
        });
        stream::iter(present).chain(receiver)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<mpsc::UnboundedSender<Change<K>>>> {
        self.subscribers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the cache up to date, then tells. Under the lock, so that a new subscriber gets each
    /// object either as present or as a change.
    pub(super) fn take(&self, writer: &mut Writer<Guarded<K>>, event: &Event<Guarded<K>>) {
        let mut subscribers = self.lock();
        let before = match event {
            Event::InitDone => self.cache.heard(),
            _ => Vec::new(),
        };
        writer.apply_watcher_event(event);
        self.cache.ahead().hear(event);
        if matches!(event, Event::InitDone) {
            self.cache.listed();
        }
        let changes: Vec<_> = match event {
            Event::Init | Event::InitApply(_) => Vec::new(),
            Event::Apply(object) => vec![(object.clone(), false)],
            Event::Delete(object) => vec![(object.clone(), true)],
            Event::InitDone => {
                let gone = before.into_iter().filter(|object| !self.has(object));
                let gone = gone.map(|object| (object, true));
                let present = self.cache.heard().into_iter().map(|object| (object, false));
                gone.chain(present).collect()
            }
        };
        for (object, deleted) in changes {
            let change = Change { object, deleted };
            subscribers.retain(|subscriber| subscriber.unbounded_send(change.clone()).is_ok());
        }
    }

    fn has(&self, object: &Guarded<K>) -> bool {
        let reference = ObjectRef::from_obj(object);
        self.cache.heard.get(&reference).is_some()
    }

    async fn drive(
        self,
        client: Client,
        options: WatchOptions,
        health: Handle,
        mut writer: Writer<Guarded<K>>,
    ) {
        let objects = api::objects::<K>(&client, options.namespace.as_deref());
        let kind = K::kind(&());
        let events = watcher(objects, options.config()).modify(move |object| {
            let meta = object.meta_mut();
            if options.managed_fields {
                managed::pack(meta);
            } else {
                meta.managed_fields = None;
            }
        });
        let mut events = std::pin::pin!(events);
        let mut retry = Retry::new(RandomState::new().hash_one(&kind).to_string());
        while let Some(event) = events.next().await {
            let error = match event {
                Ok(event) => {
                    self.take(&mut writer, &event);
                    // The others come before the API server has told all there is.
                    if !matches!(event, Event::Init | Event::InitApply(_)) {
                        retry.heard();
                        health.ready();
                    }
                    continue;
                }
                Err(error) => error,
            };
            let wait = retry.failed(Instant::now());
            let refusal = refusal(&error);
            if refusal == Some(ErrorKind::Forbidden) {
                // It may have been answered before.
                let _ = self.cache.answered.set(());
            }
            if options.optional && refusal == Some(ErrorKind::NotFound) {
                tracing::debug!(%kind, ?wait, "not served, asking again");
                self.take(&mut writer, &Event::Init);
                self.take(&mut writer, &Event::InitDone);
                health.ready();
            } else {
                let error = chain(&error);
                tracing::warn!(%kind, %error, ?wait, "watch failed, trying again");
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// The watches of a process.
pub struct Watches {
    client: Client,
    health: Health,
    drivers: Vec<BoxFuture<'static, ()>>,
}

impl Watches {
    /// No watch yet. Each reports its first list to `health`.
    pub fn new(client: Client, health: Health) -> Self {
        Self {
            client,
            health,
            drivers: Vec::new(),
        }
    }

    /// Adds a watch. It starts with [`Self::run`].
    pub fn add<K: Kind>(&mut self, options: WatchOptions) -> Watch<K> {
        let writer = Writer::new(());
        let watch = Watch::of(&writer);
        let health = self.health.register(format!("watch of {}", K::plural(&())));
        let driver = watch
            .clone()
            .drive(self.client.clone(), options, health, writer);
        self.drivers.push(driver.boxed());
        watch
    }

    /// Drives all watches, each in a task of its own, until the future is dropped.
    pub async fn run(self) {
        let mut tasks = tokio::task::JoinSet::new();
        for driver in self.drivers {
            tasks.spawn(driver);
        }
        tasks.join_all().await;
    }
}
