//! VirtualMachines: made by a person, and ready by the platform.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::live::{CLASS, IMAGE, is_ready};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use kube::api::{ListParams, PostParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, watcher};
use kube::{Api, Client, Resource, ResourceExt as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, json};

use crate::fleet::{Fleet, NAMESPACE};

/// Objects that a client writes at once: as many as the controller reconciles.
pub const AT_ONCE: usize = 16;

/// Between two looks at whether every process still runs.
const LOOK: Duration = Duration::from_secs(5);

/// What tells whether a VirtualMachine is ready, and nothing else.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(inherit = VirtualMachine)]
struct Seen {
    metadata: ObjectMeta,
    #[serde(default)]
    status: SeenStatus,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SeenStatus {
    #[serde(default)]
    conditions: Vec<Condition>,
}

/// A machine as the platform left it, without what the API server adds.
pub struct Sample {
    /// The VirtualMachine.
    pub vm: Value,
    /// Its machine object.
    pub machine: Value,
}

/// A machine that may be anywhere.
pub fn virtual_machine(name: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"classRef": {"name": CLASS}, "imageRef": {"name": IMAGE}},
    })
}

/// Name of a machine.
pub fn name(index: usize) -> String {
    format!("vm-{index:05}")
}

/// Makes the machines and waits until all are ready. Returns the time from the first request.
pub async fn come_up(fleet: &mut Fleet, count: usize) -> Result<Duration> {
    let client = fleet.client();
    let begun = Instant::now();
    let making = make(client.clone(), count);
    let ready = all_ready(client, count);
    let both = async { tokio::try_join!(making, ready) };
    let mut both = std::pin::pin!(both);
    loop {
        match tokio::time::timeout(LOOK, &mut both).await {
            Ok(ended) => break ended.map(drop)?,
            Err(_) => fleet.ensure_running()?,
        };
    }
    Ok(begun.elapsed())
}

async fn make(client: Client, count: usize) -> Result<()> {
    let vms: Api<VirtualMachine> = Api::namespaced(client, NAMESPACE);
    stream::iter((0..count).map(anyhow::Ok))
        .try_for_each_concurrent(AT_ONCE, async |index| {
            let vm = from_value(virtual_machine(&name(index)))?;
            vms.create(&PostParams::default(), &vm).await?;
            Ok(())
        })
        .await
}

async fn all_ready(client: Client, count: usize) -> Result<()> {
    let vms: Api<Seen> = Api::namespaced(client, NAMESPACE);
    let events = watcher(vms, watcher::Config::default())
        .default_backoff()
        .applied_objects();
    let mut events = std::pin::pin!(events);
    let mut ready = HashSet::new();
    while ready.len() < count {
        // A watch that failed goes on by itself.
        let Some(Ok(vm)) = events.next().await else {
            continue;
        };
        if is_ready(&vm) {
            ready.insert(vm.name_any());
        }
    }
    Ok(())
}

/// The first machine, as an example of them all.
pub async fn sample(fleet: &Fleet) -> Result<Sample> {
    let vms: Api<VirtualMachine> = Api::namespaced(fleet.client(), NAMESPACE);
    let vm = vms.get(&name(0)).await?;
    let machine = vm.status.as_ref();
    let machine = machine.and_then(|status| status.infrastructure_ref.as_ref());
    let machine = machine.context("a machine that is ready has an object")?;
    let machines: Api<SimMachine> = Api::namespaced(fleet.client(), NAMESPACE);
    let machine = machines.get(&machine.name).await?;
    Ok(Sample {
        vm: bare(&vm)?,
        machine: bare(&machine)?,
    })
}

/// How many machines each Provider has.
pub async fn on_providers(fleet: &Fleet) -> Result<BTreeMap<String, u64>> {
    let vms: Api<VirtualMachine> = Api::namespaced(fleet.client(), NAMESPACE);
    let mut counts = BTreeMap::new();
    for vm in vms.list(&ListParams::default()).await? {
        let place = vm.status.and_then(|status| status.scheduled);
        let place = place.context("a machine that is ready has a place")?;
        *counts.entry(place.provider_name).or_default() += 1;
    }
    Ok(counts)
}

/// The object without what only the API server writes, and with a name to be filled in.
fn bare(object: &impl Serialize) -> Result<Value> {
    let mut object = serde_json::to_value(object)?;
    let metadata = object["metadata"].as_object_mut().context("no metadata")?;
    metadata.retain(|field, _| matches!(field.as_str(), "labels" | "ownerReferences"));
    Ok(object)
}
