#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crash;
mod create;
mod delete;
mod migrate;
mod refuse;
mod user_data;

use banlieue_core::conditions::find;
use banlieue_kit::cache::Watch;
use banlieue_kit::{Guarded, Kind};
use banlieue_schemas::conditions::ConditionType;
use banlieue_schemas::platform::VirtualMachineStatus;
use serde_json::{Value, json};

use super::*;
use crate::testing::fixtures::{
    class, cluster_path, condition, image, path, provider, provider_class, vm,
};
use crate::testing::{Fault, Feeds, Server};

/// An API server, the reconciler, and whoever else writes.
struct World {
    server: Server,
    feeds: Feeds,
    machines: VirtualMachines,
    woken: Woken,
    told: usize,
    seconds: i64,
}

impl World {
    /// Namespace `prod` with Providers `a` and `b` of class `sim` in `dc` 1 and 2, and `c` of class
    /// `libvirt` in `dc` 3, each with one failure domain: `a1`, `b1`, `c1`.
    fn new() -> Self {
        let server = Server::new();
        server.put(&cluster_path("vmclasses/small"), &class());
        server.put(&cluster_path("vmimages/linux"), &image(&["a", "b", "c"]));
        for class in ["sim", "libvirt"] {
            let path = cluster_path(&format!("providerclasses/{class}"));
            server.put(&path, &provider_class(class));
        }
        for (name, class, dc) in [("a", "sim", "1"), ("b", "sim", "2"), ("c", "libvirt", "3")] {
            let domain = format!("{name}1");
            let provider = provider(name, class, dc, &[&domain]);
            server.put(&path(&format!("providers/{name}")), &provider);
        }
        Self::on(server)
    }

    fn on(server: Server) -> Self {
        let mut feeds = Feeds::new();
        feeds.sync(&server);
        let (machines, woken) = VirtualMachines::new(server.client(), feeds.watched());
        let told = server.lines().len();
        Self {
            server,
            feeds,
            machines,
            woken,
            told,
            seconds: 0,
        }
    }

    /// The same cluster with a new process.
    fn restarted(self) -> Self {
        Self::on(self.server)
    }

    /// A world with a machine `vm`, changed before it is stored.
    fn with_vm(change: impl FnOnce(&mut Value)) -> Self {
        let mut world = Self::new();
        world.add("vm", change);
        world
    }

    /// A world in which machine `vm` runs in `dc` 1.
    async fn running() -> Self {
        let mut world = Self::with_vm(|vm| vm["spec"]["placement"] = in_dc("1"));
        world.settle().await;
        assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
        world.requests();
        world
    }

    fn add(&mut self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut object = vm(name);
        change(&mut object);
        self.server
            .put(&path(&format!("virtualmachines/{name}")), &object);
        self.sync();
    }

    fn edit(&mut self, tail: &str, change: impl FnOnce(&mut Value)) {
        self.server.edit(&path(tail), change);
        self.sync();
    }

    fn remove(&mut self, path: &str) {
        self.server.delete(path);
        self.sync();
    }

    fn sync(&mut self) {
        self.feeds.sync(&self.server);
    }

    /// One pass over a machine, at a later time than any before.
    async fn pass(&mut self, name: &str) -> Result<Next, ApiError> {
        self.seconds += 60;
        let now = Timestamp::from_second(1_767_225_600 + self.seconds).unwrap();
        let watched = &self.machines.watched;
        match newest(&watched.virtual_machines, name) {
            None => Ok(Next::Wait),
            Some(Guarded::Valid(vm)) => self.machines.reconcile(vm, now).await,
            Some(Guarded::Invalid(vm)) => self.machines.invalid(&vm.metadata, "", now).await,
        }
    }

    /// Requests since this was asked last.
    fn requests(&mut self) -> Vec<String> {
        let lines = self.server.lines();
        let new = lines[self.told..].to_vec();
        self.told = lines.len();
        new
    }

    /// A pass, and its requests.
    async fn step(&mut self) -> Vec<String> {
        self.pass("vm").await.unwrap();
        self.requests()
    }

    /// The processes of all Providers do what there is to do.
    fn provide(&mut self) {
        for plural in ["vspheremachines", "libvirtmachines", "simmachines"] {
            for (path, _) in self.server.all(plural) {
                self.server.edit(&path, provide);
            }
        }
        self.sync();
    }

    /// Passes over machine `vm`, with Providers at work, until nothing happens any more.
    async fn settle(&mut self) {
        self.settle_with(Self::provide).await;
    }

    /// The same, without any Provider.
    async fn settle_without_provider(&mut self) {
        self.settle_with(|_| {}).await;
    }

    async fn settle_with(&mut self, others: fn(&mut Self)) {
        for _ in 0..20 {
            let before = self.server.version();
            self.pass("vm").await.unwrap();
            self.sync();
            others(self);
            if self.server.version() == before {
                return;
            }
        }
        panic!("it never gets quiet: {:#?}", self.server.lines());
    }

    fn status(&self, name: &str) -> VirtualMachineStatus {
        let vm = self
            .server
            .get(&path(&format!("virtualmachines/{name}")))
            .unwrap();
        serde_json::from_value(vm["status"].clone()).unwrap_or_default()
    }

    /// `status/reason` of a condition, or `-`.
    fn said(&self, name: &str, kind: ConditionType) -> String {
        let status = self.status(name);
        let condition = find(&status.conditions, kind);
        condition.map_or_else(
            || "-".to_owned(),
            |condition| format!("{}/{}", condition.status, condition.reason),
        )
    }

    /// The message of a condition.
    fn message(&self, name: &str, kind: ConditionType) -> String {
        let status = self.status(name);
        find(&status.conditions, kind).unwrap().message.clone()
    }

    /// `kind@provider` of each machine object.
    fn objects(&self) -> Vec<String> {
        let kinds = ["vspheremachines", "libvirtmachines", "simmachines"];
        let all = kinds.into_iter().flat_map(|plural| self.server.all(plural));
        let object = |(_, object): (String, Value)| {
            let provider = object["spec"]["providerRef"]["name"]
                .as_str()
                .unwrap()
                .to_owned();
            format!("{}@{provider}", object["kind"].as_str().unwrap())
        };
        all.map(object).collect()
    }
}

fn newest<K: Kind>(watch: &Watch<K>, name: &str) -> Option<Guarded<K>> {
    watch.cache().lookup(Some("prod"), name)
}

fn in_dc(dc: &str) -> Value {
    json!({ "providerSelector": { "matchLabels": { "dc": dc } } })
}

/// What a Provider's process makes of a machine object.
fn provide(machine: &mut Value) {
    if !machine["metadata"]["deletionTimestamp"].is_null() {
        machine["metadata"]["finalizers"] = json!([]);
        return;
    }
    machine["spec"]["providerID"] = json!("sim://a/1");
    machine["status"] = json!({
        "initialization": { "provisioned": true },
        "addresses": [{ "type": "InternalIP", "address": "10.0.0.9" }],
        "observedPowerState": "PoweredOn",
        "conditions": [condition("Ready", "True", "PoweredOn", "runs")],
        "observedGeneration": machine["metadata"]["generation"],
    });
}
