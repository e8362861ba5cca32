//! Secrets and ConfigMaps that the Provider refers to, each watched by its name and no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use banlieue_kit::Client;
use banlieue_kit::cache::{Cache, Watch, WatchOptions, Watches};
use banlieue_kit::health::Health;
use banlieue_schemas::platform::Provider;
use futures::channel::mpsc;
use futures::future::{BoxFuture, join_all};
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::access::{Found, Look, References, config_map_data, secret_data};

/// What the Provider refers to, as last heard.
pub(crate) struct Keyring {
    client: Client,
    health: Health,
    namespace: String,
    /// Told when something on the ring changed.
    changed: mpsc::UnboundedSender<()>,
    held: watch::Sender<Held>,
}

#[derive(Default)]
struct Held {
    references: References,
    secrets: BTreeMap<String, Cache<Secret>>,
    config_maps: BTreeMap<String, Cache<ConfigMap>>,
    /// Drives the watches of the above, and ends with them.
    _watching: Vec<AbortOnDropHandle<()>>,
}

impl Held {
    /// Each ends when it is known whether an object is there, or that this process may not know.
    fn waits(&self) -> Vec<BoxFuture<'static, ()>> {
        let secrets = self.secrets.values().cloned();
        let secrets = secrets.map(|cache| async move { cache.answered().await }.boxed());
        let config_maps = self.config_maps.values().cloned();
        let config_maps = config_maps.map(|cache| async move { cache.answered().await }.boxed());
        secrets.chain(config_maps).collect()
    }
}

impl Keyring {
    /// An empty ring, and the stream that tells when something on it changed.
    pub(crate) fn new(
        client: Client,
        health: Health,
        namespace: &str,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<()>) {
        let (changed, told) = mpsc::unbounded();
        let ring = Self {
            client,
            health,
            namespace: namespace.to_owned(),
            changed,
            held: watch::Sender::new(Held::default()),
        };
        (Arc::new(ring), told)
    }

    /// Watches what the Provider refers to, for as long as the future is polled. A Provider that is
    /// gone changes nothing: its machines may still have to be removed.
    pub(crate) async fn follow(&self, provider: &Watch<Provider>) {
        let mut changes = Box::pin(provider.subscribe());
        while let Some(change) = changes.next().await {
            if let (false, Some(provider)) = (change.deleted, change.object.valid()) {
                self.hold(References::of(provider));
            }
        }
    }

    fn hold(&self, references: References) {
        if self.held.borrow().references == references {
            return;
        }
        let mut watches = Watches::new(self.client.clone(), self.health.clone());
        let mut watching = Vec::new();
        let mut secrets = BTreeMap::new();
        for name in &references.secrets {
            let watch = watches.add::<Secret>(self.named(name));
            secrets.insert(name.clone(), watch.cache().clone());
            watching.push(self.tell(&watch));
        }
        let mut config_maps = BTreeMap::new();
        for name in &references.config_maps {
            let watch = watches.add::<ConfigMap>(self.named(name));
            config_maps.insert(name.clone(), watch.cache().clone());
            watching.push(self.tell(&watch));
        }
        watching.push(AbortOnDropHandle::new(tokio::spawn(watches.run())));
        self.held.send_replace(Held {
            references,
            secrets,
            config_maps,
            _watching: watching,
        });
    }

    fn named(&self, name: &str) -> WatchOptions {
        WatchOptions {
            namespace: Some(self.namespace.clone()),
            fields: Some(format!("metadata.name={name}")),
            ..WatchOptions::default()
        }
    }

    fn tell<K: banlieue_kit::Kind>(&self, watch: &Watch<K>) -> AbortOnDropHandle<()> {
        let (cache, mut news) = (watch.cache().clone(), watch.subscribe().boxed());
        let teller = self.changed.clone();
        AbortOnDropHandle::new(tokio::spawn(async move {
            cache.ready().await;
            // That it is not there is news, too.
            if cache.all().is_empty() {
                let _ = teller.unbounded_send(());
            }
            while news.next().await.is_some() && teller.unbounded_send(()).is_ok() {}
        }))
    }
}

impl Look for Keyring {
    async fn settled(&self, references: &References) {
        let mut held = self.held.subscribe();
        let waits = match held.wait_for(|held| held.references == *references).await {
            Ok(held) => held.waits(),
            // `self` holds the sender.
            Err(_) => return,
        };
        join_all(waits).await;
    }

    fn secret(&self, name: &str) -> Found<BTreeMap<String, Vec<u8>>> {
        let cache = self.held.borrow().secrets.get(name).cloned();
        find(cache.as_ref(), &self.namespace, name, secret_data)
    }

    fn config_map(&self, name: &str) -> Found<BTreeMap<String, String>> {
        let cache = self.held.borrow().config_maps.get(name).cloned();
        find(cache.as_ref(), &self.namespace, name, config_map_data)
    }
}

fn find<K: banlieue_kit::Kind, T>(
    cache: Option<&Cache<K>>,
    namespace: &str,
    name: &str,
    data: fn(&K) -> T,
) -> Found<T> {
    match cache {
        Some(cache) if cache.is_ready() => cache
            .get(Some(namespace), name)
            .map_or(Found::Absent, |object| Found::Present(data(&object))),
        _ => Found::Unknown,
    }
}
