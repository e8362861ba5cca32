//! A stage for reconcilers: an API server that stores, a simulated hypervisor, and watches.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod server;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use banlieue_kit::cache::feed::Feed;
use banlieue_kit::events::Events;
use banlieue_kit::metrics::Metrics;
use banlieue_kit::runner::{Next, Reconciler};
use banlieue_kit::{Kind, Timestamp};
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::{Backend, Provider, VmImage};
use banlieue_sim::world::fault::Rule;
use banlieue_sim::world::spec::{Latency, ZoneSpec};
use banlieue_sim::{SimConnect, Simulator, WorldSpec};
use serde_json::{Value, json};

use crate::config::Config;
use crate::endpoint::EndpointReconciler;
use crate::errors::Error;
use crate::image::ImageReconciler;
use crate::machine::{MachineReconciler, Owner};
use crate::session::{Calls, Found, Look, References, Session};
pub(crate) use server::{Fault, Server, metadata};

pub(crate) const PROVIDER: &str = "/apis/banlieue.io/v1alpha1/namespaces/ns/providers/p1";
pub(crate) const IMAGE: &str = "/apis/banlieue.io/v1alpha1/vmimages/debian";
pub(crate) const MACHINE: &str =
    "/apis/infrastructure.banlieue.io/v1alpha1/namespaces/ns/simmachines/m1";

/// Secrets and ConfigMaps of a test.
#[derive(Clone, Default)]
pub(crate) struct Keys(pub(crate) Arc<Mutex<BTreeMap<String, BTreeMap<String, String>>>>);

impl Keys {
    pub(crate) fn put(&self, name: &str, key: &str, value: &str) {
        let data = BTreeMap::from([(key.to_owned(), value.to_owned())]);
        self.0.lock().unwrap().insert(name.to_owned(), data);
    }

    pub(crate) fn remove(&self, name: &str) {
        self.0.lock().unwrap().remove(name);
    }
}

impl Look for Keys {
    async fn settled(&self, _: &References) {}

    fn secret(&self, name: &str) -> Found<BTreeMap<String, Vec<u8>>> {
        match self.config_map(name) {
            Found::Present(data) => {
                let bytes = data.into_iter().map(|(key, text)| (key, text.into_bytes()));
                Found::Present(bytes.collect())
            }
            Found::Absent => Found::Absent,
            Found::Unknown => Found::Unknown,
        }
    }

    fn config_map(&self, name: &str) -> Found<BTreeMap<String, String>> {
        let data = self.0.lock().unwrap().get(name).cloned();
        data.map_or(Found::Absent, Found::Present)
    }
}

/// Everything around the reconcilers of one Provider.
pub(crate) struct Stage {
    pub(crate) simulator: Arc<Simulator>,
    pub(crate) server: Server,
    pub(crate) keys: Keys,
    pub(crate) session: Arc<Session<SimConnect, Keys>>,
    endpoint: EndpointReconciler<SimConnect, Keys>,
    images: ImageReconciler<SimConnect, Keys>,
    machines: MachineReconciler<SimMachine, SimConnect, Keys>,
    provider_feed: Feed<Provider>,
    image_feed: Feed<VmImage>,
    machine_feed: Feed<SimMachine>,
    pub(crate) owner_feed: Feed<Owner>,
    pub(crate) now: Timestamp,
}

/// A world with one zone, in which everything is done at once.
pub(crate) fn world() -> WorldSpec {
    WorldSpec {
        latency: Latency::NONE,
        zones: vec![ZoneSpec::new("dc1", "c1", &[])],
        ..WorldSpec::default()
    }
}

impl Stage {
    /// A Provider of that world, with an image, looked at once.
    pub(crate) async fn ready(spec: WorldSpec) -> Self {
        let mut stage = Self::new(spec);
        stage.survey().await.unwrap();
        stage.look_for_image().await.unwrap();
        stage.server.journal();
        stage
    }

    /// A Provider of that world and an image, which nobody looked at yet.
    pub(crate) fn new(spec: WorldSpec) -> Self {
        let simulator = Simulator::start(spec);
        let server = Server::new(Arc::clone(&simulator));
        let client = server.fake().client();
        let provider_feed = Feed::listed(&[server.put(PROVIDER, provider())]);
        let image_feed = Feed::listed(&[server.put(IMAGE, image())]);
        let machine_feed = Feed::<SimMachine>::listed(&[]);
        let owner_feed = Feed::<Owner>::listed(&[]);
        let config = Arc::new(Config::new("ns", "p1"));
        let providers = provider_feed.watch().cache().clone();
        let image_cache = image_feed.watch().cache().clone();
        let keys = Keys::default();
        keys.put("secret", "password", "x");
        let (session, _) = Session::new(
            SimConnect::to(Arc::clone(&simulator)),
            &config,
            providers.clone(),
            keys.clone(),
            Calls::register(&Metrics::new()),
        );
        let session = Arc::new(session);
        Self {
            endpoint: EndpointReconciler {
                client: client.clone(),
                session: Arc::clone(&session),
                providers: providers.clone(),
                backend: Backend::Sim,
                config: Arc::clone(&config),
            },
            images: ImageReconciler {
                client: client.clone(),
                session: Arc::clone(&session),
                providers: providers.clone(),
                images: image_cache.clone(),
                backend: Backend::Sim,
                config: Arc::clone(&config),
            },
            machines: MachineReconciler {
                client: client.clone(),
                session: Arc::clone(&session),
                machines: machine_feed.watch().cache().clone(),
                providers,
                images: image_cache,
                owners: owner_feed.watch().cache().clone(),
                events: Events::new(client, "test", "test"),
                config,
            },
            simulator,
            server,
            keys,
            session,
            provider_feed,
            image_feed,
            machine_feed,
            owner_feed,
            now: "2026-01-01T00:00:00Z".parse().unwrap(),
        }
    }

    pub(crate) async fn survey(&mut self) -> Result<Next, Error> {
        let result = pass(&self.endpoint, &self.server, PROVIDER, self.now).await;
        self.hear();
        result
    }

    pub(crate) async fn look_for_image(&mut self) -> Result<Next, Error> {
        let result = pass(&self.images, &self.server, IMAGE, self.now).await;
        self.hear();
        result
    }

    /// One pass over the machine.
    pub(crate) async fn pass(&self) -> Result<Next, Error> {
        pass(&self.machines, &self.server, MACHINE, self.now).await
    }

    /// One pass over the machine as it was once.
    pub(crate) async fn pass_over(&self, machine: &Value) -> Result<Next, Error> {
        let machine = Arc::new(parse(machine));
        self.machines.reconcile(machine, self.now).await
    }

    /// One pass over the machine as if it did not parse.
    pub(crate) async fn pass_invalid(&self) -> Result<Next, Error> {
        let machine: SimMachine = parse(&self.server.get(MACHINE).unwrap());
        let meta = &machine.metadata;
        self.machines.invalid(meta, "no machine", self.now).await
    }

    /// Changes an object as a user would, and lets the watches tell.
    pub(crate) fn edit(&mut self, path: &str, edit: impl FnOnce(&mut Value)) {
        self.server.edit(path, edit);
        self.hear();
    }

    /// Lets the simulator strike.
    pub(crate) fn fault(&self, rule: Rule) {
        self.simulator.with(|world| world.script().add(rule));
    }

    /// The machine's conditions, each as `type status reason`.
    pub(crate) fn told(&self) -> Vec<String> {
        let machine = self.machine().unwrap();
        let conditions = machine["status"]["conditions"].as_array().cloned();
        let conditions = conditions.unwrap_or_default().into_iter();
        conditions
            .map(|it| {
                let [kind, status, reason] = ["type", "status", "reason"].map(|field| {
                    let text = it[field].as_str();
                    text.unwrap_or_default().to_owned()
                });
                format!("{kind} {status} {reason}")
            })
            .collect()
    }

    /// How many machines the hypervisor has, strangers included.
    pub(crate) fn machines_there(&self) -> usize {
        self.simulator.with(|world| world.state().machines.len())
    }

    /// Marks the machine as being deleted, as the API server would.
    pub(crate) fn delete(&mut self) {
        let since = self.now.to_string();
        self.edit(MACHINE, |machine| {
            machine["metadata"]["deletionTimestamp"] = since.into();
        });
    }

    /// Pauses the Provider, or lets it go on.
    pub(crate) fn pause(&mut self, paused: bool) {
        self.edit(PROVIDER, |provider| {
            provider["spec"]["paused"] = paused.into();
        });
    }

    /// Takes the Provider away, and lets the watch tell.
    pub(crate) fn remove_provider(&mut self) {
        self.server.remove(PROVIDER);
        self.hear();
    }

    pub(crate) fn machine(&self) -> Option<Value> {
        self.server.get(MACHINE)
    }

    /// `status.reason: message` of a condition of an object.
    pub(crate) fn condition(&self, path: &str, kind: &str) -> Option<String> {
        let object = self.server.get(path)?;
        let conditions = object["status"]["conditions"].as_array()?.clone();
        let found = conditions.iter().find(|it| it["type"] == kind)?;
        let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
        Some(format!(
            "{} {}: {}",
            text("status"),
            text("reason"),
            text("message")
        ))
    }

    /// Lets the watches tell what is there.
    pub(crate) fn hear(&mut self) {
        hear(&mut self.provider_feed, self.server.get(PROVIDER));
        hear(&mut self.image_feed, self.server.get(IMAGE));
        hear(&mut self.machine_feed, self.server.get(MACHINE));
    }
}

fn hear<K: Kind>(feed: &mut Feed<K>, object: Option<Value>) {
    match object {
        Some(object) => feed.apply(&object),
        None => feed.list(&[]),
    }
}

async fn pass<R: Reconciler>(
    reconciler: &R,
    server: &Server,
    path: &str,
    now: Timestamp,
) -> Result<Next, R::Error> {
    let object: R::Object = parse(&server.get(path).unwrap());
    reconciler.reconcile(Arc::new(object), now).await
}

fn parse<K: Kind>(object: &Value) -> K {
    serde_json::from_value(object.clone()).unwrap()
}

fn provider() -> Value {
    json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": metadata(Some("ns"), "p1"),
        "spec": {
            "providerClassRef": {"name": "sims"},
            "connection": {"endpoint": "sim://one", "credentialsRef": {"name": "secret"}},
            "capabilities": {
                "storageClasses": [{"name": "fast", "target": {"pool": "ssd"}}],
                "networkClasses": [{"name": "lan", "target": {"network": "lan"}}],
            },
        },
    })
}

fn image() -> Value {
    json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "VMImage",
        "metadata": metadata(None, "debian"),
        "spec": {
            "osFamily": "linux", "osDistribution": "debian", "osVersion": "13",
            "architecture": "amd64",
            "sources": [{"providerClass": "sims", "kind": "Template", "ref": "debian-13"}],
        },
    })
}

/// A machine as the controller makes it.
pub(crate) fn machine() -> Value {
    json!({
        "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimMachine",
        "metadata": metadata(Some("ns"), "m1"),
        "spec": {
            "failureDomain": "p1-dc1-c1", "providerRef": {"name": "p1"},
            "imageRef": {"name": "debian"}, "numCpus": 2, "memoryMiB": 2048,
            "disks": [{"name": "root", "sizeGiB": 10, "storageClass": "fast"}],
            "network": [{"name": "eth0", "networkClass": "lan"}],
        },
    })
}
