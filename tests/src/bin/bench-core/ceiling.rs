//! What the API server alone can take: the same objects, written by a client that thinks about
//! nothing.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use anyhow::Result;
use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::VirtualMachine;
use futures::{TryStreamExt as _, stream};
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json};

use crate::fleet::{NAMESPACE, api_server};
use crate::machines::{AT_ONCE, Sample, name, virtual_machine};

/// How often each object of a machine is written after it was created.
#[derive(Clone, Copy, Debug)]
pub struct Writes {
    /// The VirtualMachine.
    pub vm: u64,
    /// Its status.
    pub vm_status: u64,
    /// The machine object, its creation included.
    pub machine: u64,
    /// Its status.
    pub machine_status: u64,
}

/// A kind that is written here.
trait Written: Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned {}

impl Written for VirtualMachine {}
impl Written for SimMachine {}

/// Writes the objects of as many machines on an API server of its own, and returns the time.
pub async fn measure(sample: &Sample, writes: Writes, count: usize) -> Result<Duration> {
    let (_api, client) = api_server().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    namespaces
        .create(&PostParams::default(), &namespace)
        .await?;
    let begun = Instant::now();
    stream::iter((0..count).map(anyhow::Ok))
        .try_for_each_concurrent(AT_ONCE, |index| {
            let client = client.clone();
            async move { machine(&client, sample, writes, &name(index)).await }
        })
        .await?;
    Ok(begun.elapsed())
}

/// The writes of one machine, in the order in which the platform makes them.
async fn machine(client: &Client, sample: &Sample, writes: Writes, name: &str) -> Result<()> {
    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), NAMESPACE);
    let machines: Api<SimMachine> = Api::namespaced(client.clone(), NAMESPACE);
    let vm = from_value(virtual_machine(name))?;
    vms.create(&PostParams::default(), &vm).await?;
    edits(&vms, name, writes.vm).await?;
    statuses(&vms, name, &sample.vm, writes.vm_status).await?;
    if writes.machine > 0 {
        create(&machines, name, &sample.machine).await?;
        edits(&machines, name, writes.machine - 1).await?;
    }
    statuses(&machines, name, &sample.machine, writes.machine_status).await
}

/// Creates an object as the controller does: by an apply.
async fn create<K: Written>(api: &Api<K>, name: &str, sample: &Value) -> Result<()> {
    let mut object = described::<K>(name);
    object["spec"] = sample["spec"].clone();
    for field in ["labels", "ownerReferences"] {
        object["metadata"][field] = sample["metadata"][field].clone();
    }
    api.patch(name, &applied(), &Patch::Apply(object)).await?;
    Ok(())
}

/// Small changes, as large as a finalizer or a provider ID.
async fn edits<K: Written>(api: &Api<K>, name: &str, count: u64) -> Result<()> {
    for index in 0..count {
        let annotations = json!({"banlieue.io/bench": format!("write {index} of a small field")});
        let edit = Patch::Merge(json!({"metadata": {"annotations": annotations}}));
        api.patch(name, &PatchParams::default(), &edit).await?;
    }
    Ok(())
}

/// Whole statuses, each with one field changed: what changes nothing is not stored.
async fn statuses<K: Written>(api: &Api<K>, name: &str, sample: &Value, count: u64) -> Result<()> {
    for index in 0..count {
        let mut object = described::<K>(name);
        object["status"] = sample["status"].clone();
        object["status"]["observedGeneration"] = json!(index + 1);
        api.patch_status(name, &applied(), &Patch::Apply(object))
            .await?;
    }
    Ok(())
}

fn applied() -> PatchParams {
    PatchParams::apply(&Manager::Controller.to_string()).force()
}

fn described<K: Written>(name: &str) -> Value {
    json!({
        "apiVersion": K::api_version(&()), "kind": K::kind(&()),
        "metadata": {"name": name},
    })
}
