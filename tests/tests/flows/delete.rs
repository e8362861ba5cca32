//! Flow 3: a VirtualMachine is deleted, and nothing of it is left anywhere.

use banlieue_schemas::infrastructure::SimMachine;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::history::{Entry, Event, step};
use banlieue_tests::wait::{until, until_gone};
use kube::api::DeleteParams;
use kube::{Api, ResourceExt as _};

use crate::{
    CONTROLLER, MACHINE_FINALIZER, PROVIDER, REMOVED, TEAM, VM_FINALIZER, machine_of, machines,
    run, site,
};

#[tokio::test]
async fn a_virtual_machine_is_deleted_step_by_step() {
    let platform = site(&["west"]).await;
    let client = platform.client();
    run(&platform, "web", "west").await;
    run(&platform, "neighbour", "west").await;
    let machine = machine_of(&client, "web").await;
    let (name, uid) = (machine.name_any(), machine.uid().unwrap());
    let simulator = platform.simulator();
    simulator
        .control("west")
        .unwrap()
        .clear_calls()
        .await
        .unwrap();
    let history = machines(&client).await;

    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), TEAM);
    vms.delete("web", &DeleteParams::default()).await.unwrap();
    until_gone(&vms, "web").await.unwrap();
    let left = simulator.machines("west").await.unwrap();
    let left: Vec<&str> = left.iter().map(|machine| machine.name.as_str()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].contains("neighbour"), "{left:?}");

    history
        .assert_order(&[
            step("1. a person deletes it; the finalizer keeps it", |entry| {
                entry.is("VirtualMachine", "web")
                    && entry.deletion_timestamp.is_some()
                    && entry.has_finalizer(VM_FINALIZER)
            }),
            step("2. the controller deletes the machine object", |entry| {
                entry.is("SimMachine", &name)
                    && entry.deletion_timestamp.is_some()
                    && entry.has_finalizer(MACHINE_FINALIZER)
            }),
            step(
                "3. the provider says that it removes the machine",
                |entry| {
                    entry.is("SimMachine", &name)
                        && entry.has_only_manager(PROVIDER, "status")
                        && is_leaving(entry)
                },
            ),
            step("5. it lets the machine object go", |entry| {
                entry.is("SimMachine", &name) && entry.event == Event::Deleted
            }),
            step("6. the controller lets the VirtualMachine go", |entry| {
                entry.is("VirtualMachine", "web") && entry.event == Event::Deleted
            }),
        ])
        .await
        .is_shown("docs/flows/delete.md", "deletion")
        .unwrap();
    // What the provider does meanwhile waits for nobody.
    history
        .assert_order(&[
            step("2. the controller deletes the machine object", |entry| {
                entry.is("SimMachine", &name) && entry.deletion_timestamp.is_some()
            }),
            step("2. and says what the deletion waits for", |entry| {
                entry.is("VirtualMachine", "web")
                    && entry.has_only_manager(CONTROLLER, "status")
                    && is_leaving(entry)
            }),
            step("6. it lets the VirtualMachine go", |entry| {
                entry.is("VirtualMachine", "web") && entry.event == Event::Deleted
            }),
        ])
        .await
        .is_shown("docs/flows/delete.md", "what it waits for")
        .unwrap();
    let steps = simulator.steps("west", &uid).await.unwrap();
    assert_eq!(
        steps, REMOVED,
        "3. and 4.: the machine is switched off and removed"
    );
}

/// Whether an object says that it is being deleted.
fn is_leaving(entry: &Entry) -> bool {
    entry.deletion_timestamp.is_some()
        && entry.condition("Ready") == "False"
        && entry.reason("Ready") == "Deleting"
}

#[tokio::test]
async fn a_machine_that_cannot_be_removed_holds_everything_above_it() {
    let platform = site(&["west"]).await;
    let client = platform.client();
    run(&platform, "web", "west").await;
    let machine = machine_of(&client, "web").await.name_any();
    let world = platform.simulator().control("west").unwrap();
    // From now on the hypervisor ends no work by itself.
    world.set_single_step(true).await.unwrap();

    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), TEAM);
    let objects: Api<SimMachine> = Api::namespaced(client.clone(), TEAM);
    vms.delete("web", &DeleteParams::default()).await.unwrap();
    until(&objects, &machine, "to be deleted", |machine| {
        machine.metadata.deletion_timestamp.is_some()
    })
    .await
    .unwrap();
    banlieue_tests::wait::eventually("work to begin", async || {
        let state = world.state().await?;
        anyhow::ensure!(!state.tasks.is_empty(), "no task");
        Ok(())
    })
    .await
    .unwrap();
    let vm = vms.get("web").await.unwrap();
    assert!(vm.finalizers().iter().any(|it| it == VM_FINALIZER));
    let object = objects.get(&machine).await.unwrap();
    assert!(object.finalizers().iter().any(|it| it == MACHINE_FINALIZER));

    world.set_single_step(false).await.unwrap();
    world.finish_tasks().await.unwrap();
    until_gone(&vms, "web").await.unwrap();
    assert_eq!(world.state().await.unwrap().machines, []);
}
