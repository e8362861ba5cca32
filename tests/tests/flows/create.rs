//! Flow 1: a VirtualMachine is applied, and runs.

use banlieue_core::machine::Identity;
use banlieue_schemas::common::PowerState;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::history::{Event, step};
use banlieue_tests::live::{ready, virtual_machine};
use banlieue_tests::wait::until;
use banlieue_tests::workload::create;
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, ResourceExt as _};
use serde_json::json;

use crate::{CONTROLLER, MADE, PROVIDER, TEAM, VM_FINALIZER, is_made, machine_of, machines, site};

#[tokio::test]
async fn a_virtual_machine_is_created_step_by_step() {
    let platform = site(&["west"]).await;
    let client = platform.client();
    let history = machines(&client).await;
    let secret = json!({
        "metadata": {"name": "web-user-data"},
        "stringData": {"user-data": "#cloud-config\nhostname: ${VM_NAME}\n"},
    });
    create::<Secret>(&client, TEAM, secret).await.unwrap();
    let mut vm = virtual_machine("web", "west");
    vm["spec"]["userData"] = json!({"secretRef": {"name": "web-user-data"}});
    create::<VirtualMachine>(&client, TEAM, vm).await.unwrap();
    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), TEAM);
    ready(&vms, "web").await.unwrap();
    let vm = until(&vms, "web", "to have addresses", |vm| {
        let status = vm.status.as_ref();
        status.is_some_and(|status| !status.addresses.is_empty())
    })
    .await
    .unwrap();

    history
        .assert_order(&[
            step("1. a person applies a VirtualMachine", |entry| {
                entry.event == Event::Added && entry.is("VirtualMachine", "web")
            }),
            step("2. the controller takes it in hand", |entry| {
                entry.is("VirtualMachine", "web") && entry.has_finalizer(VM_FINALIZER)
            }),
            step("2. it chooses a Provider and a failure domain", |entry| {
                entry.is("VirtualMachine", "web")
                    && entry.has_only_manager(CONTROLLER, "status")
                    && entry.at("/status/scheduled/providerName") == "west"
                    && entry.at("/status/scheduled/failureDomain").is_string()
            }),
            step(
                "3. it makes the machine object, with the user data",
                |entry| {
                    is_made(entry, "web", "west")
                        && entry.at("/spec/userData") == "#cloud-config\nhostname: web\n"
                },
            ),
            step(
                "4. and 5. the provider makes the machine and says which it is",
                |entry| {
                    entry.kind == "SimMachine"
                        && entry.has_manager(PROVIDER, "")
                        && entry.at("/spec/providerID").is_string()
                },
            ),
            step("6. it says that the machine runs", |entry| {
                entry.kind == "SimMachine"
                    && entry.has_only_manager(PROVIDER, "status")
                    && entry.condition("Ready") == "True"
            }),
            step("7. the controller says the same", |entry| {
                entry.is("VirtualMachine", "web")
                    && entry.has_only_manager(CONTROLLER, "status")
                    && entry.condition("Ready") == "True"
            }),
            step(
                "6. the guest is up, and the provider shows its addresses",
                |entry| {
                    entry.kind == "SimMachine"
                        && entry.has_only_manager(PROVIDER, "status")
                        && entry.at("/status/addresses").is_array()
                },
            ),
            step("7. as does the controller", |entry| {
                entry.is("VirtualMachine", "web")
                    && entry.has_only_manager(CONTROLLER, "status")
                    && entry.at("/status/addresses").is_array()
            }),
        ])
        .await
        .is_shown("docs/flows/create.md", "creation")
        .unwrap();

    let machine = machine_of(&client, "web").await;
    let uid = machine.uid().unwrap();
    let simulator = platform.simulator();
    let steps = simulator.steps("west", &uid).await.unwrap();
    assert_eq!(steps, MADE, "5.: what the provider asks its backend for");
    let world = simulator.control("west").unwrap();
    let user_data = world.user_data(&Identity::of(uid)).await.unwrap();
    assert_eq!(user_data, "#cloud-config\nhostname: web\n");
    let status = vm.status.unwrap();
    assert_eq!(status.addresses, machine.status.unwrap().addresses);
    assert_eq!(status.observed_power_state, Some(PowerState::PoweredOn));
}
