//! Flow 2: one edit of a selector, and the machine runs on another backend.

use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::history::{Event, step};
use banlieue_tests::live::is_ready;
use banlieue_tests::wait::until;
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt as _};
use serde_json::json;

use crate::{
    CONTROLLER, MACHINE_FINALIZER, MADE, PROVIDER, REMOVED, TEAM, is_made, machine_of, machines,
    run, site,
};

#[tokio::test]
async fn a_virtual_machine_changes_its_backend_step_by_step() {
    let platform = site(&["west", "east"]).await;
    let client = platform.client();
    let simulator = platform.simulator();
    let before = run(&platform, "web", "west").await;
    let old = machine_of(&client, "web").await;
    let old_uid = old.uid().unwrap();
    let west = simulator.control("west").unwrap();
    west.clear_calls().await.unwrap();
    let history = machines(&client).await;

    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), TEAM);
    let edit =
        json!({"spec": {"placement": {"providerSelector": {"matchLabels": {"dc": "east"}}}}});
    let parameters = PatchParams::default();
    vms.patch("web", &parameters, &Patch::Merge(edit))
        .await
        .unwrap();
    let after = until(&vms, "web", "to run in the east", |vm| {
        let status = vm.status.as_ref();
        let place = status.and_then(|status| status.scheduled.as_ref());
        place.is_some_and(|place| place.provider_name == "east") && is_ready(vm)
    })
    .await
    .unwrap();
    let new = machine_of(&client, "web").await;
    let new_uid = new.uid().unwrap();

    let has_uid = |entry: &banlieue_tests::history::Entry, uid: &str| {
        entry.kind == "SimMachine" && entry.object.uid().as_deref() == Some(uid)
    };
    history
        .assert_order(&[
            step("1. a person edits the selector", |entry| {
                entry.event == Event::Modified
                    && entry.is("VirtualMachine", "web")
                    && entry.at("/spec/placement/providerSelector/matchLabels/dc") == "east"
            }),
            step(
                "2. the controller writes down where the machine goes",
                |entry| {
                    entry.is("VirtualMachine", "web")
                        && entry.has_only_manager(CONTROLLER, "status")
                        && entry.at("/status/migration/from/providerName") == "west"
                        && entry.at("/status/migration/to/providerName") == "east"
                },
            ),
            step("3. it deletes the old machine object", |entry| {
                has_uid(entry, &old_uid)
                    && entry.deletion_timestamp.is_some()
                    && entry.has_finalizer(MACHINE_FINALIZER)
            }),
            step("3. which goes once its machine is gone", |entry| {
                has_uid(entry, &old_uid) && entry.event == Event::Deleted
            }),
            step(
                "4. it makes a machine object for the other Provider",
                |entry| {
                    has_uid(entry, &new_uid)
                        && is_made(entry, "web", "east")
                        && entry.at("/spec/providerRef/name") == "east"
                },
            ),
            step("5. whose process makes the machine", |entry| {
                has_uid(entry, &new_uid)
                    && entry.has_manager(PROVIDER, "")
                    && entry.at("/spec/providerID").is_string()
            }),
            step("5. and says that it runs", |entry| {
                has_uid(entry, &new_uid)
                    && entry.has_only_manager(PROVIDER, "status")
                    && entry.condition("Ready") == "True"
            }),
            step("5. the controller says the same", |entry| {
                entry.is("VirtualMachine", "web")
                    && entry.has_only_manager(CONTROLLER, "status")
                    && entry.condition("Ready") == "True"
                    && entry.at("/status/scheduled/providerName") == "east"
                    && entry.at("/status/migration").is_null()
            }),
        ])
        .await
        .is_shown("docs/flows/swap.md", "swap")
        .unwrap();
    let removed = simulator.steps("west", &old_uid).await.unwrap();
    assert_eq!(removed, REMOVED, "3.: the old machine is removed");
    let made = simulator.steps("east", &new_uid).await.unwrap();
    assert_eq!(made, MADE, "5.: the new machine is made");
    assert_eq!(simulator.machines("west").await.unwrap(), []);
    assert_eq!(simulator.machines("east").await.unwrap().len(), 1);

    // The manifest differs in the selector, and in nothing else.
    let mut expected = before.spec;
    expected.placement.clone_from(&after.spec.placement);
    assert_eq!(after.spec, expected);
}
