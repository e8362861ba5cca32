//! The flows of the architecture on a whole platform: every step in its order, as the API server
//! stored it, not only the end.

mod create;
mod delete;
mod register;
mod restart;
mod rights;
mod rotation;
mod swap;
mod teardown;
mod upgrade;

use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::labels;
use banlieue_schemas::platform::{Provider, VirtualMachine, VmImage};
use banlieue_sim::world::call::CallKind;
use banlieue_tests::history::{Entry, Event, History, kind};
use banlieue_tests::live::{self, IMAGE, Platform, is_ready, ready};
use banlieue_tests::wait::until;
use banlieue_tests::workload::create;
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt as _};

/// Namespace of Providers and machines.
const TEAM: &str = "team";

/// A second class of the same backend. No test has it unless it makes it.
const CANARY: &str = "sim-canary";

/// Field managers.
const CONTROLLER: &str = "banlieue.io/controller";
const OPERATOR: &str = "banlieue.io/operator";
const PROVIDER: &str = "banlieue.io/provider-sim";

/// Finalizers.
const VM_FINALIZER: &str = "banlieue.io/virtualmachine";
const MACHINE_FINALIZER: &str = "banlieue.io/simmachine";

/// What makes a machine on the backend, and what removes it.
const MADE: [CallKind; 5] = [
    CallKind::Create,
    CallKind::Configure,
    CallKind::Disks,
    CallKind::Seed,
    CallKind::Power,
];
const REMOVED: [CallKind; 2] = [CallKind::Power, CallKind::Delete];

/// A platform with Providers, each with a world of its own name, and an image that is ready on
/// all of them.
async fn site(providers: &[&str]) -> Platform {
    let platform = Platform::start().await.unwrap();
    let client = platform.client();
    live::prepare(&client, TEAM, providers).await.unwrap();
    for name in providers {
        register(&platform, name).await;
    }
    live::offer(&client, &["sim", CANARY]).await.unwrap();
    for name in providers {
        let providers: Api<Provider> = Api::namespaced(client.clone(), TEAM);
        ready(&providers, name).await.unwrap();
    }
    let images: Api<VmImage> = Api::all(client);
    until(&images, IMAGE, "to be ready everywhere", |image| {
        let rows = image.status.iter().flat_map(|status| &status.per_provider);
        rows.filter(|row| row.ready).count() == providers.len() && is_ready(image)
    })
    .await
    .unwrap();
    platform
}

/// Applies a Provider for the world of its name.
async fn register(platform: &Platform, name: &str) -> Provider {
    let object = live::provider(name, &platform.simulator().endpoint(name));
    create(&platform.client(), TEAM, object).await.unwrap()
}

/// A record of what happens to machines.
async fn machines(client: &Client) -> History {
    let kinds = vec![kind::<VirtualMachine>(), kind::<SimMachine>()];
    History::record(client, kinds).await.unwrap()
}

/// Creates a machine on a Provider, and waits until it is ready.
async fn run(platform: &Platform, name: &str, provider: &str) -> VirtualMachine {
    let client = platform.client();
    let object = live::virtual_machine(name, provider);
    create::<VirtualMachine>(&client, TEAM, object)
        .await
        .unwrap();
    ready(&Api::namespaced(client, TEAM), name).await.unwrap()
}

/// Whether the controller makes a machine object here, complete and for that Provider.
fn is_made(entry: &Entry, vm: &str, provider: &str) -> bool {
    let label = entry.object.labels().get(labels::PROVIDER);
    entry.event == Event::Added
        && entry.kind == "SimMachine"
        && entry.has_manager(CONTROLLER, "")
        && entry.has_finalizer(MACHINE_FINALIZER)
        && entry.owners == [format!("VirtualMachine/{vm}")]
        && label.is_some_and(|it| it == provider)
}

/// The one machine object of a VirtualMachine.
async fn machine_of(client: &Client, vm: &str) -> SimMachine {
    let machines: Api<SimMachine> = Api::namespaced(client.clone(), TEAM);
    let owned = ListParams::default().labels(&format!("{}={vm}", labels::OWNED_BY));
    let mut found = machines.list(&owned).await.unwrap().items;
    assert_eq!(found.len(), 1, "machine objects of {vm}");
    found.remove(0)
}
