//! All that the processes do for people, once: the flows, and what happens to them.
//!
//! There are no processes yet for vCenters and libvirt hosts. The test publishes in their place
//! what they would, so that controller and operator do their part.

use banlieue_schemas::infrastructure::{
    LibvirtCluster, LibvirtMachine, SimCluster, SimMachine, VSphereCluster, VSphereMachine,
};
use banlieue_schemas::labels;
use banlieue_schemas::manifests::{Settings, rbac};
use banlieue_schemas::names;
use banlieue_schemas::platform::{Provider, ProviderClass, VirtualMachine, VmImage};
use banlieue_tests::live::{self, IMAGE, Platform, is_ready, ready};
use banlieue_tests::requests::Request;
use banlieue_tests::wait::{eventually, until, until_gone};
use banlieue_tests::workload::{available, create};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
    PostParams,
};
use kube::{Api, Client, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};

use crate::{CONTROLLER, TEAM};
use anyhow::{Context as _, Result, ensure};

/// Providers and their classes: `vc` and `kvm` are those without a process.
const PROVIDERS: [(&str, &str); 4] = [
    ("west", "sim"),
    ("east", "sim"),
    ("vc", "vcenters"),
    ("kvm", "hosts"),
];
const CANARY: &str = "sim-canary";

/// Registers Providers, makes, moves and removes machines, and changes what runs.
pub async fn live(platform: &Platform) -> Result<()> {
    let client = platform.client();
    register(platform).await?;
    user_data(platform).await?;
    swap(&client).await?;
    cluster_api(&client).await?;
    for provider in ["vc", "kvm"] {
        stand_in_for(&client, provider).await?;
    }
    machine_without_process::<VSphereMachine>(&client, "vc").await?;
    machine_without_process::<LibvirtMachine>(&client, "kvm").await?;
    upgrade(&client).await?;
    remove(&client).await
}

async fn register(platform: &Platform) -> Result<()> {
    let client = platform.client();
    live::prepare(&client, TEAM, &PROVIDERS.map(|(name, _)| name)).await?;
    let trust = json!({"metadata": {"name": "trust"}, "data": {"ca.crt": "nobody"}});
    create::<ConfigMap>(&client, TEAM, trust).await?;
    let credentials = PROVIDERS.map(|(name, _)| format!("{name}-{}", live::CREDENTIALS));
    let role = rbac::operator_credentials(
        &Settings::default(),
        TEAM,
        &credentials,
        &["trust".to_owned()],
    );
    let (role, _) = role.context("no Role")?;
    let rules = json!({"rules": to_value(role.rules)?});
    patch::<Role>(&client, rbac::OPERATOR_CREDENTIALS_ROLE, &rules).await?;
    for (name, backend) in [("vcenters", "vsphere"), ("hosts", "libvirt")] {
        let spec = json!({"backend": backend, "deployment": "External"});
        let class = json!({"metadata": {"name": name}, "spec": spec});
        let classes: Api<ProviderClass> = Api::all(client.clone());
        classes
            .create(&PostParams::default(), &from_value(class)?)
            .await?;
    }
    for (name, class) in PROVIDERS {
        let endpoint = match class {
            "vcenters" => "https://vcenter.test/sdk".to_owned(),
            "hosts" => "qemu+tls://host.test/system".to_owned(),
            _ => platform.simulator().endpoint(name),
        };
        let mut provider = live::provider(name, &endpoint);
        provider["spec"]["providerClassRef"]["name"] = class.into();
        provider["spec"]["connection"]["caBundle"] = json!({"configMapRef": {"name": "trust"}});
        create::<Provider>(&client, TEAM, provider).await?;
    }
    live::offer(&client, &["sim", CANARY, "vcenters", "hosts"]).await?;
    for name in ["west", "east"] {
        ready(&namespaced::<Provider>(&client), name).await?;
    }
    let images: Api<VmImage> = Api::all(client);
    until(&images, IMAGE, "to be ready on both", |image| {
        let rows = image.status.iter().flat_map(|status| &status.per_provider);
        rows.filter(|row| row.ready).count() == 2
    })
    .await?;
    Ok(())
}

/// Machines wait for their user data, and get it. One is where the controller may read none.
async fn user_data(platform: &Platform) -> Result<()> {
    let client = platform.client();
    let sources = [("web", "west", "secret"), ("api", "east", "configMap")];
    for (name, provider, kind) in sources {
        let mut vm = live::virtual_machine(name, provider);
        vm["spec"]["userData"] = json!({format!("{kind}Ref"): {"name": name}});
        create::<VirtualMachine>(&client, TEAM, vm.clone()).await?;
        vm["metadata"]["name"] = format!("{name}-elsewhere").into();
        create::<VirtualMachine>(&client, "default", vm).await?;
    }
    for resource in ["secrets", "configmaps"] {
        asked(platform, CONTROLLER, "watch", resource).await?;
    }
    let text = "#cloud-config\n";
    let secret = json!({"metadata": {"name": "web"}, "stringData": {"user-data": text}});
    create::<Secret>(&client, TEAM, secret).await?;
    let map = json!({"metadata": {"name": "api"}, "data": {"user-data": text}});
    create::<ConfigMap>(&client, TEAM, map).await?;
    for (name, _, _) in sources {
        ready(&namespaced::<VirtualMachine>(&client), name).await?;
    }
    Ok(())
}

async fn swap(client: &Client) -> Result<()> {
    let edit =
        json!({"spec": {"placement": {"providerSelector": {"matchLabels": {"dc": "east"}}}}});
    patch::<VirtualMachine>(client, "web", &edit).await?;
    let moved = |vm: &VirtualMachine| {
        let status = vm.status.as_ref();
        let place = status.and_then(|status| status.scheduled.as_ref());
        place.is_some_and(|place| place.provider_name == "east") && is_ready(vm)
    };
    until(&namespaced(client), "web", "to run in the east", moved).await?;
    Ok(())
}

/// Clusters of every kind, and a machine whose bootstrap data its process may read in the end.
async fn cluster_api(client: &Client) -> Result<()> {
    let spec = json!({"metadata": {"name": "c"}, "spec": {"providerRefs": [{"name": "east"}]}});
    create::<SimCluster>(client, TEAM, spec.clone()).await?;
    create::<VSphereCluster>(client, TEAM, spec.clone()).await?;
    create::<LibvirtCluster>(client, TEAM, spec).await?;

    let data = json!({"metadata": {"name": "node"}, "stringData": {"value": "#cloud-config\n"}});
    create::<Secret>(client, TEAM, data).await?;
    let version = "cluster.x-k8s.io/v1beta2";
    let owner: DynamicObject = from_value(json!({
        "apiVersion": version, "kind": "Machine", "metadata": {"name": "node"},
        "spec": {
            "clusterName": "c",
            "bootstrap": {"dataSecretName": "node"},
            "infrastructureRef": {
                "apiGroup": "infrastructure.banlieue.io", "kind": "SimMachine", "name": "node",
            },
        },
    }))?;
    let kind = GroupVersionKind::gvk("cluster.x-k8s.io", "v1beta2", "Machine");
    let owners: Api<DynamicObject> =
        Api::namespaced_with(client.clone(), TEAM, &ApiResource::from_gvk(&kind));
    let owner = owners.create(&PostParams::default(), &owner).await?;

    let machines: Api<SimMachine> = namespaced(client);
    let of_web = ListParams::default().labels(&format!("{}=web", labels::OWNED_BY));
    let like = machines.list(&of_web).await?.items.pop().context("web")?;
    let mut machine = json!({
        "metadata": {
            "name": "node",
            "labels": {labels::PROVIDER: "east"},
            "ownerReferences": [{
                "apiVersion": version, "kind": "Machine", "name": "node", "uid": owner.uid(),
            }],
        },
        "spec": to_value(like.spec)?,
    });
    let spec = machine["spec"].as_object_mut().context("no spec")?;
    spec.remove("providerID");
    spec.remove("userData");
    create::<SimMachine>(client, TEAM, machine).await?;
    told(client, "SimMachine", "node").await?;

    let account = rbac::Account {
        namespace: TEAM.to_owned(),
        name: names::workload("sim", "east"),
    };
    let (role, binding) = rbac::bootstrap_data(TEAM, &[account]);
    create::<Role>(client, TEAM, to_value(role)?).await?;
    create::<RoleBinding>(client, TEAM, to_value(binding)?).await?;
    ready(&machines, "node").await?;
    Ok(())
}

/// Publishes for a Provider what the process of `east` did for its own.
async fn stand_in_for(client: &Client, provider: &str) -> Result<()> {
    let providers: Api<Provider> = namespaced(client);
    let east = providers.get("east").await?.status.context("no status")?;
    let status = json!({"status": {
        "failureDomains": to_value(&east.failure_domains)?,
        "conditions": to_value(&east.conditions)?,
    }});
    let parameters = PatchParams::default();
    providers
        .patch_status(provider, &parameters, &Patch::Merge(status))
        .await?;

    let images: Api<VmImage> = Api::all(client.clone());
    let image = images.get(IMAGE).await?;
    let mut rows = image.status.iter().flat_map(|status| &status.per_provider);
    let mut row = rows
        .find(|row| row.provider_name == "east")
        .context("no row")?
        .clone();
    provider.clone_into(&mut row.provider_name);
    let status = json!({
        "apiVersion": VmImage::api_version(&()), "kind": VmImage::kind(&()),
        "status": {"perProvider": [row]},
    });
    let parameters = PatchParams::apply(provider);
    images
        .patch_status(IMAGE, &parameters, &Patch::Apply(status))
        .await?;
    Ok(())
}

/// A machine is asked for and given up where no process serves its object of kind `K`.
async fn machine_without_process<K>(client: &Client, provider: &str) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + std::fmt::Debug + DeserializeOwned + serde::Serialize + Send + 'static,
{
    let name = format!("on-{provider}");
    let vm = live::virtual_machine(&name, provider);
    create::<VirtualMachine>(client, TEAM, vm).await?;
    let machines: Api<K> = namespaced(client);
    until(&machines, &name, "to exist", |_| true).await?;
    let vms: Api<VirtualMachine> = namespaced(client);
    vms.delete(&name, &DeleteParams::default()).await?;
    let going = |machine: &K| machine.meta().deletion_timestamp.is_some();
    until(&machines, &name, "to be deleted", going).await?;
    patch::<K>(client, &name, &json!({"metadata": {"finalizers": null}})).await?;
    until_gone(&vms, &name).await
}

/// A new image for all processes of a class, and another class for one.
async fn upgrade(client: &Client) -> Result<()> {
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let mut canary = classes.get("sim").await?;
    canary.metadata = from_value(json!({"name": CANARY}))?;
    canary.status = None;
    classes.create(&PostParams::default(), &canary).await?;
    let edit = json!({"spec": {"providerClassRef": {"name": CANARY}}});
    patch::<Provider>(client, "west", &edit).await?;
    let edit = Patch::Merge(json!({"spec": {"image": {"tag": "v0.2.0"}}}));
    classes.patch("sim", &PatchParams::default(), &edit).await?;

    let deployments: Api<Deployment> = namespaced(client);
    until_gone(&deployments, &names::workload("sim", "west")).await?;
    for (class, provider) in [(CANARY, "west"), ("sim", "east")] {
        let name = names::workload(class, provider);
        until(&deployments, &name, "to exist", |_| true).await?;
        available(client, TEAM, &name).await?;
    }
    Ok(())
}

async fn remove(client: &Client) -> Result<()> {
    let vms: Api<VirtualMachine> = namespaced(client);
    vms.delete("web", &DeleteParams::default()).await?;
    until_gone(&vms, "web").await?;
    let providers: Api<Provider> = namespaced(client);
    providers.delete("west", &DeleteParams::default()).await?;
    until_gone(&providers, "west").await
}

/// Waits until a process has made a request.
async fn asked(platform: &Platform, user: &str, verb: &str, resource: &str) -> Result<()> {
    let is_it =
        |it: &Request| it.user == user && it.ask.verb == verb && it.ask.resource == resource;
    eventually("a request", async || {
        let requests = platform.cluster().api().requests()?;
        ensure!(requests.iter().any(is_it), "no {verb} {resource}");
        Ok(())
    })
    .await
}

/// Waits until people were told about an object.
async fn told(client: &Client, kind: &str, name: &str) -> Result<()> {
    let events: Api<k8s_openapi::api::events::v1::Event> = namespaced(client);
    eventually("an Event", async || {
        let events = events.list(&ListParams::default()).await?;
        let told = events.iter().filter_map(|event| event.regarding.as_ref());
        let mut told = told.map(|it| (it.kind.as_deref(), it.name.as_deref()));
        ensure!(told.any(|it| it == (Some(kind), Some(name))), "none");
        Ok(())
    })
    .await
}

async fn patch<K>(client: &Client, name: &str, edit: &Value) -> Result<()>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + std::fmt::Debug + DeserializeOwned,
{
    let edit = Patch::Merge(edit);
    namespaced::<K>(client)
        .patch(name, &PatchParams::default(), &edit)
        .await?;
    Ok(())
}

fn namespaced<K>(client: &Client) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    Api::namespaced(client.clone(), TEAM)
}
