//! The node's loop: one task for each Pod that is bound to it.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::watcher::{Config, Event, watcher};
use kube::runtime::{WatchStreamExt as _, reflector};
use kube::{Api, Client, ResourceExt as _};
use serde::de::DeserializeOwned;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::address::Subnet;
use super::configs::Configs;
use super::processes::Processes;
use super::register::{bind, is_pending, register};
use super::{NODE, Options, pod};

const END_LIMIT: Duration = Duration::from_secs(10);

/// What the node is started with.
pub(super) struct Settings {
    pub(super) kubeconfig: PathBuf,
    pub(super) api_port: u16,
    /// For what belongs to Pods.
    pub(super) directory: PathBuf,
    pub(super) logs: PathBuf,
    pub(super) options: Options,
    pub(super) processes: Processes,
    /// Becomes true when the node is to end.
    pub(super) stopped: watch::Receiver<bool>,
}

/// What all Pods of the node share.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) api_port: u16,
    pub(super) directory: PathBuf,
    pub(super) logs: PathBuf,
    pub(super) options: Options,
    pub(super) processes: Processes,
    pub(super) subnet: Subnet,
    pub(super) configs: Configs,
    /// Marked as changed whenever a ConfigMap or Secret did.
    pub(super) config_changes: watch::Receiver<()>,
    pub(super) stopped: watch::Receiver<bool>,
}

/// Runs the node until it is stopped and all processes are gone. `ready` is told
/// when the Node is registered, or why it could not be.
pub(super) async fn run(settings: Settings, ready: oneshot::Sender<Result<()>>) {
    let mut reflectors = JoinSet::new();
    let shared = match prepare(settings, &mut reflectors).await {
        Ok(shared) => Arc::new(shared),
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    // Nobody waits any more: the test has ended, and so will this.
    let _ = ready.send(Ok(()));
    let mut stopped = shared.stopped.clone();
    let mut pods = Pods::new(Arc::clone(&shared));
    let events = watcher(Api::all(shared.client.clone()), Config::default());
    let mut events = events.default_backoff().boxed();
    loop {
        tokio::select! {
            Some(event) = events.next() => match event {
                Ok(event) => pods.handle(event),
                Err(error) => eprintln!("node: watch of Pods: {error}"),
            },
            Some(_) = pods.tasks.join_next() => {}
            Some(_) = pods.bindings.join_next() => {}
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    // A Pod whose requests nobody answers must not hold the test up. Its processes
    // end with its task.
    let _ = tokio::time::timeout(END_LIMIT, async {
        while pods.tasks.join_next().await.is_some() {}
    })
    .await;
}

async fn prepare(settings: Settings, tasks: &mut JoinSet<()>) -> Result<Shared> {
    let kubeconfig = Kubeconfig::read_from(&settings.kubeconfig)?;
    let options = KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    let client = Client::try_from(config)?;
    register(&client).await?;
    let (changed, config_changes) = watch::channel(());
    let changed = Arc::new(changed);
    let configs = Configs {
        config_maps: reflect(&client, &changed, tasks),
        secrets: reflect(&client, &changed, tasks),
    };
    Ok(Shared {
        client,
        api_port: settings.api_port,
        directory: settings.directory,
        logs: settings.logs,
        options: settings.options,
        processes: settings.processes,
        subnet: Subnet::take()?,
        configs,
        config_changes,
        stopped: settings.stopped,
    })
}

/// Keeps every object of a kind at hand and tells of each change.
fn reflect<K>(
    client: &Client,
    changed: &Arc<watch::Sender<()>>,
    tasks: &mut JoinSet<()>,
) -> reflector::Store<K>
where
    K: kube::Resource<DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + DeserializeOwned
        + Send
        + Sync
        + 'static,
{
    let (store, writer) = reflector::store();
    let events = watcher(Api::all(client.clone()), Config::default()).default_backoff();
    let events = reflector(writer, events);
    tasks.spawn(tell(events, Arc::clone(changed)));
    store
}

async fn tell<T>(events: impl Stream<Item = T>, changed: Arc<watch::Sender<()>>) {
    events
        .for_each(|_| {
            changed.send_replace(());
            std::future::ready(())
        })
        .await;
}

/// The Pods of the node, by uid.
struct Pods {
    shared: Arc<Shared>,
    /// What is known of each; `None` tells its task that it is gone.
    known: HashMap<String, watch::Sender<Option<Pod>>>,
    /// Seen since a new listing began.
    listed: HashSet<String>,
    tasks: JoinSet<()>,
    bindings: JoinSet<()>,
}

impl Pods {
    fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            known: HashMap::new(),
            listed: HashSet::new(),
            tasks: JoinSet::new(),
            bindings: JoinSet::new(),
        }
    }

    fn handle(&mut self, event: Event<Pod>) {
        match event {
            Event::Init => self.listed.clear(),
            Event::InitApply(pod) => {
                self.listed.insert(pod.uid().unwrap_or_default());
                self.apply(pod);
            }
            Event::InitDone => {
                let gone = self.known.extract_if(|uid, _| !self.listed.contains(uid));
                for (_, pod) in gone {
                    pod.send_replace(None);
                }
            }
            Event::Apply(pod) => self.apply(pod),
            Event::Delete(pod) => {
                if let Some(known) = self.known.remove(&pod.uid().unwrap_or_default()) {
                    known.send_replace(None);
                }
            }
        }
    }

    fn apply(&mut self, pod: Pod) {
        if is_pending(&pod) {
            self.bindings.spawn(bind(self.shared.client.clone(), pod));
            return;
        }
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
        if node != Some(NODE) {
            return;
        }
        let uid = pod.uid().unwrap_or_default();
        if let Some(known) = self.known.get(&uid) {
            known.send_replace(Some(pod));
            return;
        }
        let (sender, updates) = watch::channel(Some(pod.clone()));
        self.known.insert(uid, sender);
        self.tasks
            .spawn(pod::run(Arc::clone(&self.shared), pod, updates));
    }
}
