use super::*;

#[tokio::test]
async fn finalizer_place_and_object_are_written_in_this_order_and_once() {
    let mut world = World::with_vm(|vm| vm["metadata"]["labels"] = json!({ "team": "red" }));
    let first = world.step().await;
    let machine = world.objects()[0].clone();
    let plural = if machine.starts_with("Sim") {
        "simmachines"
    } else {
        "libvirtmachines"
    };
    assert_eq!(
        first,
        [
            "patch virtualmachines/vm by banlieue.io/controller".to_owned(),
            "apply virtualmachines/vm/status by banlieue.io/controller".to_owned(),
            format!("apply {plural}/vm by banlieue.io/controller"),
        ]
    );
    let vm = world.server.get(&path("virtualmachines/vm")).unwrap();
    assert_eq!(vm["metadata"]["finalizers"], json!([FINALIZER]));
    let object = world.server.get(&path(&format!("{plural}/vm"))).unwrap();
    let owner = &object["metadata"]["ownerReferences"][0];
    assert_eq!(owner["uid"], vm["metadata"]["uid"]);
    assert_eq!(
        (&owner["controller"], &owner["blockOwnerDeletion"]),
        (&json!(true), &json!(true))
    );
    let labels = &object["metadata"]["labels"];
    assert_eq!(labels["banlieue.io/owned-by"], "vm");
    assert_eq!(
        labels["banlieue.io/provider"],
        object["spec"]["providerRef"]["name"]
    );
    assert_eq!(labels["team"], "red");
}

#[tokio::test]
async fn a_pass_right_after_a_write_is_quiet_however_late_the_watches_are() {
    let mut world = World::with_vm(|_| {});
    world.step().await;
    assert_eq!(world.step().await, [""; 0], "no watch told anything yet");
    world.sync();
    assert_eq!(world.step().await, [""; 0]);
}

#[tokio::test]
async fn a_machine_is_ready_when_its_object_is_and_costs_four_writes() {
    let mut world = World::with_vm(|_| {});
    world.step().await;
    world.sync();
    assert_eq!(world.said("vm", ConditionType::Ready), "Unknown/Pending");
    assert_eq!(world.said("vm", ConditionType::Scheduled), "True/Scheduled");
    world.provide();
    let status = ["apply virtualmachines/vm/status by banlieue.io/controller"];
    assert_eq!(world.step().await, status);
    assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
    let status = world.status("vm");
    assert_eq!(status.addresses[0].address, "10.0.0.9");
    assert!(status.infrastructure_ref.is_some());
    world.sync();
    for _ in 0..3 {
        assert_eq!(world.step().await, [""; 0]);
    }
    assert_eq!(world.server.lines().len(), 4);
}

#[tokio::test]
async fn a_machine_that_fails_on_its_backend_is_not_ready() {
    let mut world = World::running().await;
    world.edit("simmachines/vm", |machine| {
        machine["status"]["conditions"] =
            json!([condition("Ready", "False", "BackendMissing", "gone")]);
    });
    world.step().await;
    assert_eq!(
        world.said("vm", ConditionType::Ready),
        "False/InfrastructureNotReady"
    );
    assert_eq!(
        world.said("vm", ConditionType::InfrastructureReady),
        "False/BackendMissing"
    );
}

#[tokio::test]
async fn a_change_of_the_spec_changes_the_object_and_nothing_else_does() {
    let mut world = World::running().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["desiredPowerState"] = json!("PoweredOff");
    });
    assert_eq!(
        world.step().await,
        [
            "apply simmachines/vm by banlieue.io/controller",
            "apply virtualmachines/vm/status by banlieue.io/controller",
        ]
    );
    let machine = world.server.get(&path("simmachines/vm")).unwrap();
    assert_eq!(machine["spec"]["desiredPowerState"], "PoweredOff");
    assert_eq!(machine["spec"]["providerID"], "sim://a/1");
    assert_eq!(
        world.said("vm", ConditionType::Reconciling),
        "True/Progressing"
    );
    world.settle().await;
    assert_eq!(world.said("vm", ConditionType::Reconciling), "-");
}

#[tokio::test]
async fn the_backend_of_the_class_decides_the_kind_and_not_its_name() {
    let mut world = World::new();
    let mut canary = provider_class("libvirt");
    canary["metadata"]["name"] = json!("sim-canary");
    world
        .server
        .put(&cluster_path("providerclasses/sim-canary"), &canary);
    let provider = provider("d", "sim-canary", "4", &["d1"]);
    world.server.put(&path("providers/d"), &provider);
    world
        .server
        .put(&cluster_path("vmimages/linux"), &image(&["d"]));
    world.add("vm", |vm| vm["spec"]["placement"] = in_dc("4"));
    world.step().await;
    assert_eq!(world.objects(), ["LibvirtMachine@d"]);
}

#[tokio::test]
async fn machines_that_are_placed_at_once_see_each_other() {
    let mut world = World::new();
    let domains = ["z1", "z2", "z3", "z4", "z5", "z6"];
    world
        .server
        .put(&path("providers/a"), &provider("a", "sim", "9", &domains));
    let names: Vec<String> = (0..12).map(|index| format!("vm-{index}")).collect();
    for name in &names {
        world.add(name, |vm| vm["spec"]["placement"] = in_dc("9"));
    }
    let watched = &world.machines.watched;
    let passes = names.iter().map(|name| {
        let vm = newest(&watched.virtual_machines, name)
            .unwrap()
            .valid()
            .unwrap()
            .clone();
        world.machines.reconcile(vm, Timestamp::UNIX_EPOCH)
    });
    for done in futures::future::join_all(passes).await {
        done.unwrap();
    }
    for domain in domains {
        let there = names
            .iter()
            .filter(|name| world.status(name).scheduled.unwrap().failure_domain == domain);
        assert_eq!(there.count(), 2, "{domain}");
    }
}

#[tokio::test]
async fn a_paused_machine_is_left_alone() {
    let mut world = World::with_vm(|vm| vm["spec"]["paused"] = json!(true));
    let status = ["apply virtualmachines/vm/status by banlieue.io/controller"];
    assert_eq!(world.step().await, status);
    assert_eq!(world.said("vm", ConditionType::Paused), "True/Paused");
    world.sync();
    assert_eq!(world.step().await, [""; 0]);
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["paused"] = json!(false);
    });
    world.settle().await;
    assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
}

#[tokio::test]
async fn an_object_that_somebody_deletes_is_made_again_where_it_was() {
    let mut world = World::running().await;
    world.remove(&path("simmachines/vm"));
    assert_eq!(
        world.step().await,
        [""; 0],
        "nothing is applied onto what goes"
    );
    world.settle().await;
    assert_eq!(world.objects(), ["SimMachine@a"]);
}

#[tokio::test]
async fn a_cache_that_lost_everything_makes_no_second_machine_and_turns_nothing() {
    let mut world = World::running().await;
    world.feeds.lose_machines();
    let next = world.pass("vm").await.unwrap();
    assert_eq!(world.requests(), ["get simmachines/vm"]);
    assert_eq!(next, LOOK_AGAIN);
    assert_eq!(world.objects(), ["SimMachine@a"]);
}

#[tokio::test]
async fn of_two_leaders_one_places_the_machine() {
    let mut one = World::with_vm(|_| {});
    let mut other = World::on(one.server.clone());
    one.step().await;
    let placed = one.status("vm").scheduled;
    let error = other.pass("vm").await.unwrap_err();
    assert_eq!(error.kind(), banlieue_kit::errors::ErrorKind::Conflict);
    assert_eq!(one.status("vm").scheduled, placed);
    assert_eq!(one.objects().len(), 1);
}
