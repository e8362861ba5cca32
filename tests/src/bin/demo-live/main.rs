//! Shows the platform at work on simulated hypervisors: installs it, makes machines, moves one and
//! removes one. Everything ends with the program.

mod story;
mod table;

use anyhow::{Context as _, Result};
use banlieue_schemas::platform::{Provider, VirtualMachine, VmImage};
use banlieue_tests::live::{self, IMAGE, Platform, SYSTEM, is_ready, ready, virtual_machine};
use banlieue_tests::wait::{until, until_gone};
use banlieue_tests::workload::create;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use story::Story;

const NAMESPACE: &str = "shop";
const MACHINES: usize = 12;

#[tokio::main]
async fn main() -> Result<()> {
    let mut story = Story::begin();

    story.step("A Kubernetes API server, a node, and a simulator (about 10 s)");
    let platform = Platform::bare().await?;
    let client = platform.client();
    story.say("each Provider below is a hypervisor of its own in the simulator");

    story.step("banlieue bootstrap operator (about 15 s)");
    let told = platform.install(&[]).await?;
    story.say(&format!("{} objects applied", told.lines().count()));
    story.say(&format!(
        "controller and operator are available in {SYSTEM}"
    ));

    story.step("Two Providers, `west` and `east`, a shape and an image (about 10 s)");
    providers(&platform, &mut story).await?;

    story.step(&format!(
        "{MACHINES} VirtualMachines on `west`, apart from each other (about 10 s)"
    ));
    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), NAMESPACE);
    for index in 1..=MACHINES {
        create::<VirtualMachine>(&client, NAMESPACE, machine(&name(index))).await?;
    }
    for index in 1..=MACHINES {
        up(&vms, &name(index), "west").await?;
    }
    for (zone, count) in table::zones(&all(&vms).await?) {
        story.say(&format!("{zone}: {count}"));
    }

    let moved = name(1);
    story.step(&format!(
        "Swap: one label in the selector of {moved}, from west to east (about 5 s)"
    ));
    swap(&vms, &moved).await?;
    story.say(&format!(
        "{moved} was removed in the west and made again in the east"
    ));

    let removed = name(MACHINES);
    story.step(&format!("Delete {removed} (about 3 s)"));
    vms.delete(&removed, &DeleteParams::default()).await?;
    until_gone(&vms, &removed).await?;
    for world in ["west", "east"] {
        let left = platform.simulator().machines(world).await?.len();
        story.say(&format!("hypervisor {world} holds {left} machines"));
    }

    story.step("What there is now");
    table::print(&all(&vms).await?);
    story.end("everything ends now; nothing stays on this machine");
    Ok(())
}

async fn providers(platform: &Platform, story: &mut Story) -> Result<()> {
    let client: Client = platform.client();
    let names = ["west", "east"];
    live::prepare(&client, NAMESPACE, &names).await?;
    live::offer(&client, &["sim"]).await?;
    for name in names {
        let object = live::provider(name, &platform.simulator().endpoint(name));
        create::<Provider>(&client, NAMESPACE, object).await?;
    }
    let providers: Api<Provider> = Api::namespaced(client.clone(), NAMESPACE);
    for name in names {
        let provider = ready(&providers, name).await?;
        let status = provider
            .status
            .context("a Provider that is ready has a status")?;
        let zones = status.failure_domains.len();
        let workload = status
            .workload
            .and_then(|workload| workload.deployment_name);
        let workload = workload.unwrap_or_default();
        story.say(&format!("{name}: {zones} zones, served by {workload}"));
    }
    let images: Api<VmImage> = Api::all(client);
    until(&images, IMAGE, "to be ready on both", |image| {
        let rows = image.status.iter().flat_map(|status| &status.per_provider);
        rows.filter(|row| row.ready).count() == names.len() && is_ready(image)
    })
    .await?;
    Ok(())
}

async fn swap(vms: &Api<VirtualMachine>, name: &str) -> Result<()> {
    let selector = json!({"matchLabels": {"dc": "east"}});
    let edit = json!({"spec": {"placement": {"providerSelector": selector}}});
    let parameters = PatchParams::default();
    vms.patch(name, &parameters, &Patch::Merge(edit)).await?;
    up(vms, name, "east").await
}

/// Waits until a machine runs on a Provider and its guest has addresses.
async fn up(vms: &Api<VirtualMachine>, name: &str, provider: &str) -> Result<()> {
    until(vms, name, "to be up", |vm| {
        let status = vm.status.clone().unwrap_or_default();
        let place = status.scheduled.unwrap_or_default();
        place.provider_name == provider && is_ready(vm) && !status.addresses.is_empty()
    })
    .await?;
    Ok(())
}

fn name(index: usize) -> String {
    format!("web-{index:02}")
}

/// A machine that stays out of the zones of the others, as far as there are enough.
fn machine(name: &str) -> serde_json::Value {
    let mut vm = virtual_machine(name, "west");
    vm["metadata"]["labels"] = json!({"app": "web"});
    vm["spec"]["placement"]["antiAffinity"] = json!([{
        "topologyKey": "name", "mode": "preferred",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }]);
    vm
}

async fn all(vms: &Api<VirtualMachine>) -> Result<Vec<VirtualMachine>> {
    let mut items = vms.list(&ListParams::default()).await?.items;
    items.sort_by_key(ResourceExt::name_any);
    Ok(items)
}
