//! What stands in the way: each with its condition, found again when it is gone.

use super::*;

/// What a pass over a machine says: `Ready`, and a part of its message.
struct Case {
    change: fn(&mut World),
    ready: &'static str,
    progress: ConditionType,
    message: &'static str,
}

#[tokio::test]
async fn each_obstacle_has_its_reason_and_its_message() {
    use ConditionType::{Reconciling, Stalled};
    let cases = [
        Case {
            change: |world| world.remove(&cluster_path("vmclasses/small")),
            ready: "False/ClassNotFound",
            progress: Reconciling,
            message: "VMClass small does not exist",
        },
        Case {
            change: |world| world.remove(&cluster_path("vmimages/linux")),
            ready: "False/ImageNotFound",
            progress: Reconciling,
            message: "VMImage linux does not exist",
        },
        Case {
            change: |world| {
                world.edit("virtualmachines/vm", |vm| {
                    vm["spec"]["placement"] = in_dc("9");
                });
            },
            ready: "False/NoProviderMatched",
            progress: Reconciling,
            message: "no place for the machine: ",
        },
        Case {
            change: |world| {
                world
                    .server
                    .put(&cluster_path("vmimages/linux"), &image(&[]));
            },
            ready: "False/ImageNotReady",
            progress: Reconciling,
            message: "image linux was not looked for yet",
        },
        Case {
            change: |world| {
                let mut class = class();
                class["spec"]["tpmEnabled"] = json!(true);
                world.server.put(&cluster_path("vmclasses/small"), &class);
            },
            ready: "False/ImageClassMismatch",
            progress: Stalled,
            message: "",
        },
        Case {
            change: |world| {
                world.edit("virtualmachines/vm", |vm| {
                    vm["spec"]["hardwareOverride"] =
                        json!({ "diskOverrides": [{ "name": "data", "sizeGiB": 9 }] });
                });
            },
            ready: "False/InvalidSpec",
            progress: Stalled,
            message: "hardwareOverride names disk data",
        },
        Case {
            change: |world| {
                world.edit("virtualmachines/vm", |vm| {
                    vm["spec"]["userData"] = json!({ "secretRef": { "name": "missing" } });
                });
            },
            ready: "False/UserDataNotFound",
            progress: Reconciling,
            message: "Secret missing does not exist",
        },
    ];
    for case in cases {
        let mut world = World::with_vm(|_| {});
        (case.change)(&mut world);
        world.sync();
        world.pass("vm").await.unwrap();
        assert_eq!(world.said("vm", ConditionType::Ready), case.ready);
        let message = world.message("vm", case.progress);
        assert!(message.contains(case.message), "{message}");
        assert!(message.len() <= 1024);
        assert!(world.objects().is_empty(), "{}", case.ready);
        world.sync();
        world.requests();
        world.pass("vm").await.unwrap();
        let writes = world
            .requests()
            .into_iter()
            .filter(|line| !line.starts_with("get "));
        assert_eq!(writes.count(), 0, "{}", case.ready);
    }
}

#[tokio::test]
async fn an_object_of_somebody_else_under_the_name_is_never_taken_over() {
    let mut world = World::with_vm(|vm| vm["spec"]["placement"] = in_dc("1"));
    let foreign = json!({
        "apiVersion": "infrastructure.banlieue.io/v1alpha1", "kind": "SimMachine",
        "metadata": { "name": "vm", "namespace": "prod" },
        "spec": {
            "imageRef": { "name": "x" }, "numCpus": 1, "memoryMiB": 512,
            "disks": [{ "name": "os", "sizeGiB": 1 }],
        },
    });
    world.server.put(&path("simmachines/vm"), &foreign);
    world.sync();
    world.settle_without_provider().await;
    assert_eq!(
        world.said("vm", ConditionType::Stalled),
        "True/InfraBuildFailed"
    );
    let message = world.message("vm", ConditionType::Stalled);
    assert_eq!(
        message,
        "SimMachine vm is there and belongs to somebody else"
    );
    assert_eq!(
        world.server.get(&path("simmachines/vm")).unwrap()["spec"]["numCpus"],
        1
    );
}

#[tokio::test]
async fn what_the_api_server_refuses_is_said_and_the_place_is_kept() {
    let mut world = World::with_vm(|vm| vm["spec"]["placement"] = in_dc("1"));
    world
        .server
        .refuse("apply simmachines/vm", 403, "Forbidden");
    let error = world.pass("vm").await.unwrap_err();
    assert_eq!(error.kind(), banlieue_kit::errors::ErrorKind::Forbidden);
    assert_eq!(
        world.said("vm", ConditionType::Stalled),
        "True/InfraBuildFailed"
    );
    let said = world.message("vm", ConditionType::Stalled);
    assert!(
        said.starts_with("cannot apply SimMachine prod/vm: "),
        "{said}"
    );
    world.sync();
    world.requests();
    world.pass("vm").await.unwrap_err();
    let writes = world.requests();
    assert!(
        writes.iter().all(|line| !line.contains("/status")),
        "{writes:?}"
    );
    world.server.allow_all();
    world.settle().await;
    assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
}

fn with_address(vm: &mut Value) {
    vm["spec"]["networkOverrides"] =
        json!([{ "name": "eth0", "static": { "address": "10.0.0.7", "prefix": 24 } }]);
}

#[tokio::test]
async fn of_two_machines_with_one_address_the_second_waits_for_the_first() {
    let mut world = World::with_vm(with_address);
    world.settle().await;
    assert_eq!(world.status("vm").held_addresses[0].address, "10.0.0.7");
    world.add("second", with_address);
    world.pass("second").await.unwrap();
    assert_eq!(
        world.said("second", ConditionType::Ready),
        "False/DuplicateAddress"
    );
    let message = world.message("second", ConditionType::Ready);
    assert_eq!(message, "VirtualMachine vm has the address 10.0.0.7");
    assert_eq!(world.objects().len(), 1);

    let waiting = world
        .machines
        .desk
        .waiting(|_, what| what == plan::WaitsFor::Machines);
    assert_eq!(waiting[0].name, "second");
    world.remove(&path("virtualmachines/vm"));
    world.settle().await;
    world.pass("second").await.unwrap();
    assert_eq!(
        world.said("second", ConditionType::Scheduled),
        "True/Scheduled"
    );
    assert!(world.machines.desk.waiting(|_, _| true).is_empty());
}

#[tokio::test]
async fn a_machine_that_runs_stays_ready_whatever_is_wrong_around_it() {
    let mut world = World::running().await;
    world.remove(&cluster_path("vmclasses/small"));
    world.settle().await;
    assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
    assert_eq!(
        world.said("vm", ConditionType::Reconciling),
        "True/ClassNotFound"
    );
    assert_eq!(world.objects(), ["SimMachine@a"]);
}
