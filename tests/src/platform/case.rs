//! One case: a namespace, hypervisors, and the processes that serve them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use banlieue_core::conditions::is_true;
use banlieue_schemas::common::LocalObjectReference;
use banlieue_schemas::conditions::ConditionType;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine, VmClass, VmImage};
use banlieue_sim::world::spec::{Latency, ZoneSpec};
use banlieue_sim::{Simulator, WorldSpec};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::audit::Audit;
use super::gate::Gate;
use super::hearing::Hearing;
use super::process::{Program, Surroundings};
use super::{Platform, objects};
use crate::wait::{LIMIT, until, until_gone};

/// Nothing happens any more when nobody called anybody for this long: the longest wait between two
/// calls of a flow is the backoff, and that ends with a call.
pub(super) const CALM: Duration = Duration::from_millis(300);

/// What a case is made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names of its Providers, each with a hypervisor of its own.
    pub providers: Vec<&'static str>,
    /// How many machines the hypervisors may hold together.
    pub machines: usize,
    /// How long each piece of work of a hypervisor takes, in milliseconds. Zero means at once.
    pub work: u64,
    /// After how long the processes look at an object of which they hear nothing.
    pub resync: Duration,
    /// Zones of each hypervisor.
    pub zones: Vec<ZoneSpec>,
    /// What the hypervisors want to be shown, and the Secret [`LOGIN`](objects::LOGIN) holds.
    pub password: Option<&'static str>,
    /// User data of each machine, held by the Secret [`USER_DATA`](objects::USER_DATA).
    pub user_data: Option<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            providers: vec!["a"],
            machines: 1,
            work: 0,
            resync: Duration::from_secs(600),
            zones: vec![ZoneSpec::new("dc1", "c1", &[])],
            password: None,
            user_data: None,
        }
    }
}

/// A running case. Dropping it ends its processes.
pub struct Case {
    /// Its namespace, and the name of its class and image.
    pub name: String,
    /// Where its calls pass.
    pub gate: Arc<Gate>,
    /// What its processes hear.
    pub hearing: Arc<Hearing>,
    /// What its hypervisors hold.
    pub audit: Arc<Audit>,
    /// Its hypervisors, in the order of its Providers.
    pub simulators: Vec<Arc<Simulator>>,
    providers: Vec<&'static str>,
    user_data: Option<&'static str>,
    platform: Arc<Platform>,
    around: Arc<Surroundings>,
    processes: Vec<AbortOnDropHandle<()>>,
}

impl Case {
    /// Starts a case and waits until machines can be made.
    pub async fn start(platform: &Arc<Platform>, options: Options) -> Result<Self> {
        let name = platform.next_case();
        let world = || Simulator::start(world(&options));
        let simulators: Vec<_> = options.providers.iter().map(|_| world()).collect();
        let audit = Audit::new(simulators.clone(), options.machines);
        let api = Arc::clone(&platform.api);
        let around = Surroundings::new(api, name.clone(), Arc::clone(&audit), options.resync);
        let mut case = Self {
            name,
            gate: Arc::clone(&around.gate),
            hearing: Arc::clone(&around.hearing),
            audit,
            simulators,
            providers: options.providers.clone(),
            user_data: options.user_data,
            platform: Arc::clone(platform),
            around,
            processes: Vec::new(),
        };
        case.create_objects(&options).await?;
        case.processes
            .push(case.around.run("controller", Program::Controller));
        for provider in &options.providers {
            case.run_provider(provider, provider)?;
        }
        case.providers_ready(&options.providers).await?;
        case.settled().await?;
        Ok(case)
    }

    async fn create_objects(&self, options: &Options) -> Result<()> {
        let params = PostParams::default();
        let namespace: Namespace =
            serde_json::from_value(json!({"metadata": {"name": self.name}}))?;
        self.shared().create(&params, &namespace).await?;
        let class = objects::provider_class(&self.name)?;
        self.shared().create(&params, &class).await?;
        let class = objects::class(&self.name)?;
        self.shared().create(&params, &class).await?;
        let image = objects::image(&self.name)?;
        self.shared().create(&params, &image).await?;
        if let Some(password) = options.password {
            let login = objects::login(password)?;
            self.api().create(&params, &login).await?;
        }
        if let Some(text) = options.user_data {
            let secret = objects::user_data(text)?;
            self.api().create(&params, &secret).await?;
        }
        for provider in &options.providers {
            let mut provider = objects::provider(&self.name, provider)?;
            let login = options.password.map(|_| objects::LOGIN.to_owned());
            provider.spec.connection.credentials_ref =
                login.map(|name| LocalObjectReference { name });
            self.api().create(&params, &provider).await?;
        }
        Ok(())
    }

    async fn providers_ready(&self, providers: &[&str]) -> Result<()> {
        for name in providers {
            let ready = |provider: &Provider| {
                let status = provider.status.as_ref();
                status.is_some_and(|status| is_true(&status.conditions, ConditionType::Ready))
            };
            until(&self.api(), name, "to be ready", ready).await?;
        }
        let everywhere = |image: &VmImage| {
            let rows = image.status.iter().flat_map(|status| &status.per_provider);
            rows.filter(|row| row.ready).count() == providers.len()
        };
        until(&self.shared(), &self.name, "to be found", everywhere).await?;
        Ok(())
    }

    /// Objects of a kind in the namespace of the case, past the gate.
    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.platform.client.clone(), &self.name)
    }

    /// Objects of a kind without a namespace, past the gate. Those of other cases are among them.
    pub fn shared<K>(&self) -> Api<K>
    where
        K: Resource<Scope = ClusterResourceScope, DynamicType = ()>,
    {
        Api::all(self.platform.client.clone())
    }

    /// Asks for a machine on a Provider.
    pub async fn create_machine(&self, name: &str, side: &str) -> Result<()> {
        let mut vm = objects::virtual_machine(&self.name, name, side)?;
        vm.spec.user_data = self.user_data.map(|_| objects::user_data_source());
        self.api().create(&PostParams::default(), &vm).await?;
        Ok(())
    }

    /// Changes what a user wrote.
    pub async fn patch<K>(&self, name: &str, patch: Value) -> Result<()>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + Debug
            + DeserializeOwned,
    {
        let patch = Patch::Merge(patch);
        self.api::<K>()
            .patch(name, &PatchParams::default(), &patch)
            .await?;
        Ok(())
    }

    /// Asks for the deletion of a machine.
    pub async fn delete_machine(&self, name: &str) -> Result<()> {
        let machines: Api<VirtualMachine> = self.api();
        machines.delete(name, &DeleteParams::default()).await?;
        Ok(())
    }

    /// Waits until a machine is ready on a Provider.
    pub async fn machine_ready(&self, name: &str, side: &str) -> Result<VirtualMachine> {
        let what = format!("to be ready on {side}");
        until(&self.api(), name, &what, |vm| is_ready_on(vm, side)).await
    }

    /// Waits until a machine is gone.
    pub async fn machine_gone(&self, name: &str) -> Result<()> {
        until_gone(&self.api::<VirtualMachine>(), name).await
    }

    /// The machine objects.
    pub async fn machine_objects(&self) -> Result<Vec<SimMachine>> {
        Ok(self.api().list(&ListParams::default()).await?.items)
    }

    /// Waits until nothing happens any more.
    pub async fn settled(&self) -> Result<()> {
        let mut changes = self.gate.changes();
        let end = Instant::now() + LIMIT;
        loop {
            let calm = timeout(CALM, changes.changed()).await.is_err();
            if calm && !self.gate.is_busy() && self.are_ready() {
                return Ok(());
            }
            let calls = self.gate.calls();
            let last: Vec<_> = calls
                .iter()
                .rev()
                .take(10)
                .map(ToString::to_string)
                .collect();
            ensure!(Instant::now() < end, "it does not settle: {last:?}");
        }
    }

    /// Runs one more controller, as if there were no lease.
    pub async fn add_controller(&mut self, name: &str) -> Result<()> {
        self.processes
            .push(self.around.run(name, Program::Controller));
        self.settled().await
    }

    /// Runs one more process for a Provider, as if there were no lease.
    pub async fn add_provider(&mut self, name: &str, provider: &str) -> Result<()> {
        self.run_provider(name, provider)?;
        self.settled().await
    }

    fn run_provider(&mut self, name: &str, provider: &str) -> Result<()> {
        let at = self.providers.iter().position(|it| *it == provider);
        let simulator = at.and_then(|at| self.simulators.get(at));
        let simulator = simulator.with_context(|| format!("no Provider {provider}"))?;
        let program = Program::Provider(provider.to_owned(), Arc::clone(simulator));
        self.processes.push(self.around.run(name, program));
        Ok(())
    }

    /// Whether every process has listed what it watches.
    pub(super) fn are_ready(&self) -> bool {
        self.around.are_ready()
    }

    /// Ends a process, which starts again.
    pub fn kill(&self, process: &str) {
        self.around.kill(process);
    }

    /// How many passes the processes that run now made in a reconciler.
    pub fn passes(&self, reconciler: &str) -> u64 {
        self.around.passes(reconciler).values().sum()
    }

    /// The same of each of these processes.
    pub fn passes_by_process(&self, reconciler: &str) -> BTreeMap<String, u64> {
        self.around.passes(reconciler)
    }

    /// The resource version of every object of the case.
    pub async fn versions(&self) -> Result<BTreeMap<String, String>> {
        let mut versions = BTreeMap::new();
        collect(&mut versions, self.api::<VirtualMachine>()).await?;
        collect(&mut versions, self.api::<SimMachine>()).await?;
        collect(&mut versions, self.api::<Provider>()).await?;
        collect(&mut versions, self.api::<Event>()).await?;
        collect(&mut versions, self.shared::<VmImage>()).await?;
        collect(&mut versions, self.shared::<VmClass>()).await?;
        collect(&mut versions, self.shared::<ProviderClass>()).await?;
        versions.retain(|name, _| name.contains(&format!("/{}/", self.name)));
        Ok(versions)
    }

    /// Fails if the machine is not exactly one VM, on the Provider of that name and nowhere else.
    pub async fn one_machine(&self, name: &str, side: &str) -> Result<()> {
        let vm = self.api::<VirtualMachine>().get(name).await?;
        ensure!(
            is_ready_on(&vm, side),
            "not ready on {side}: {:?}",
            vm.status
        );
        let objects = self.machine_objects().await?;
        let uids: Vec<_> = objects
            .iter()
            .filter_map(|it| it.metadata.uid.clone())
            .collect();
        ensure!(uids.len() == 1, "machine objects: {uids:?}");
        let stamps = self.audit.stamps();
        ensure!(stamps == uids, "VMs of {stamps:?}, object {uids:?}");
        let owner = objects.first().context("no object")?;
        let on = owner.spec.provider_ref.as_ref().map(|it| it.name.as_str());
        ensure!(on == Some(side), "the object is for {on:?}");
        let (wanted, seeds) = (self.user_data.map_or(0, str::len), self.audit.user_data());
        ensure!(
            seeds == [wanted],
            "user data of {seeds:?} bytes, not {wanted}"
        );
        self.never_wrong()
    }

    /// Fails if anything is left of a machine.
    pub async fn no_machine(&self) -> Result<()> {
        let objects = self.machine_objects().await?;
        ensure!(objects.is_empty(), "machine objects: {objects:?}");
        let stamps = self.audit.stamps();
        ensure!(stamps.is_empty(), "VMs of {stamps:?}");
        self.never_wrong()
    }

    /// Fails if something was seen that must never be.
    pub fn never_wrong(&self) -> Result<()> {
        let violations = self.gate.violations();
        ensure!(violations.is_empty(), "{violations:?}");
        Ok(())
    }
}

/// Adds the versions of the objects of a kind, by kind, case and name.
async fn collect<K>(into: &mut BTreeMap<String, String>, api: Api<K>) -> Result<()>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    // Objects that do not parse count as well.
    for object in api.list_metadata(&ListParams::default()).await?.items {
        let name = object.name_any();
        let case = object.namespace().unwrap_or_else(|| name.clone());
        let version = object.resource_version().unwrap_or_default();
        into.insert(format!("{}/{case}/{name}", K::kind(&())), version);
    }
    Ok(())
}

fn world(options: &Options) -> WorldSpec {
    let work = [options.work; 2];
    WorldSpec {
        latency: Latency {
            create: work,
            disks: work,
            seed: work,
            power: work,
            shutdown: work,
            delete: work,
            boot: work,
            ..Latency::NONE
        },
        zones: options.zones.clone(),
        password: options.password.map(str::to_owned),
        ..WorldSpec::default()
    }
}

fn is_ready_on(vm: &VirtualMachine, side: &str) -> bool {
    let Some(status) = &vm.status else {
        return false;
    };
    let place = status
        .scheduled
        .as_ref()
        .map(|place| place.provider_name.as_str());
    place == Some(side)
        && status.migration.is_none()
        && status.observed_generation == vm.metadata.generation
        && is_true(&status.conditions, ConditionType::Ready)
}
