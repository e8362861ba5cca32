//! A process dies while a machine is being made, and the one that comes after it goes on.

use banlieue_schemas::names;
use banlieue_schemas::platform::VirtualMachine;
use banlieue_tests::live::{Platform, SYSTEM, is_ready, ready, virtual_machine};
use banlieue_tests::wait::{eventually, until};
use banlieue_tests::workload::{self, create, restarts};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use kube::{Api, ResourceExt as _};

use crate::{MADE, TEAM, machine_of, site};

#[tokio::test]
async fn a_machine_is_made_once_although_the_process_dies_meanwhile() {
    let platform = site(&["west"]).await;
    let provider = names::workload("sim", "west");
    dies("one", &platform, TEAM, &provider).await;
    dies("two", &platform, SYSTEM, "banlieue-controller").await;
    let made = platform.simulator().machines("west").await.unwrap();
    assert_eq!(made.len(), 2, "{made:?}");
}

/// Makes a machine and kills the process of a Deployment, and of the Lease of its name, while the
/// hypervisor makes the machine.
async fn dies(vm: &str, platform: &Platform, namespace: &str, process: &str) {
    let client = platform.client();
    let simulator = platform.simulator();
    let world = simulator.control("west").unwrap();
    let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let before = leases.get(process).await.unwrap().spec.unwrap();
    // Of several replicas, that which leads.
    let pod_name = before.holder_identity.clone().unwrap();
    let pod = pods.get(&pod_name).await.unwrap();
    // From now on the hypervisor ends no work by itself.
    world.set_single_step(true).await.unwrap();
    create::<VirtualMachine>(&client, TEAM, virtual_machine(vm, "west"))
        .await
        .unwrap();
    eventually("work to begin", async || {
        let tasks = world.state().await?.tasks;
        anyhow::ensure!(!tasks.is_empty(), "no task");
        Ok(())
    })
    .await
    .unwrap();

    let node = platform.cluster().node().unwrap();
    node.kill(namespace, &pod_name).unwrap();
    until(&pods, &pod_name, "to run again", |again| {
        restarts(again) == restarts(&pod) + 1 && workload::is_ready(again)
    })
    .await
    .unwrap();
    let vms: Api<VirtualMachine> = Api::namespaced(client.clone(), TEAM);
    assert!(!is_ready(&vms.get(vm).await.unwrap()));
    world.set_single_step(false).await.unwrap();
    world.finish_tasks().await.unwrap();
    ready(&vms, vm).await.unwrap();

    let uid = machine_of(&client, vm).await.uid().unwrap();
    assert_eq!(simulator.steps("west", &uid).await.unwrap(), MADE);
    let made = simulator.machines("west").await.unwrap();
    let own = made.iter().filter(|made| made.uid.as_ref() == Some(&uid));
    assert_eq!(own.count(), 1, "{made:?}");
    // It is the same Pod, and so the same candidate: nobody waits for its Lease to end.
    let after = leases.get(process).await.unwrap().spec.unwrap();
    assert_eq!(after.holder_identity.as_ref(), Some(&pod_name));
    assert_eq!(after.acquire_time, before.acquire_time);
    assert_eq!(after.lease_transitions, before.lease_transitions);
}
