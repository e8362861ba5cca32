use banlieue_schemas::platform::MigrationPhase;

use super::*;

async fn moving(dc: &str) -> World {
    let mut world = World::running().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["placement"] = in_dc(dc);
    });
    world
}

const STATUS: &str = "apply virtualmachines/vm/status by banlieue.io/controller";

#[tokio::test]
async fn a_move_is_remembered_then_the_old_object_goes_then_the_new_one_comes() {
    for (dc, place, plural) in [
        ("2", "SimMachine@b", "simmachines"),
        ("3", "LibvirtMachine@c", "libvirtmachines"),
    ] {
        let mut world = moving(dc).await;
        assert_eq!(world.step().await, [STATUS, "delete simmachines/vm"]);
        let migration = world.status("vm").migration.unwrap();
        assert_eq!(migration.phase, MigrationPhase::Deleting);
        assert!(migration.from.machine_uid.is_some());
        assert_eq!(world.said("vm", ConditionType::Migrating), "True/Migrating");
        world.sync();
        assert_eq!(world.step().await, [""; 0], "the old object is still there");
        assert_eq!(world.objects(), ["SimMachine@a"]);

        world.provide();
        let mut expected = vec!["get simmachines/vm".to_owned()];
        if plural != "simmachines" {
            expected.insert(0, format!("get {plural}/vm"));
        }
        expected.push(STATUS.to_owned());
        expected.push(format!("apply {plural}/vm by banlieue.io/controller"));
        assert_eq!(world.step().await, expected);
        assert_eq!(world.objects(), [place]);
        let status = world.status("vm");
        assert_eq!(status.migration.unwrap().phase, MigrationPhase::Creating);
        assert_eq!(
            status.scheduled.unwrap().provider_name,
            place.split('@').nth(1).unwrap()
        );

        world.sync();
        assert_eq!(world.step().await, [STATUS]);
        assert!(world.status("vm").migration.is_none());
        world.settle().await;
        assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
        assert_eq!(
            world.said("vm", ConditionType::PlacementValid),
            "True/PlacementValid"
        );
        assert_eq!(world.said("vm", ConditionType::Migrating), "-");
    }
}

#[tokio::test]
async fn nothing_is_made_while_the_old_object_is_there_whatever_the_cache_says() {
    let mut world = moving("3").await;
    world.step().await;
    world.feeds.lose_machines();
    let next = world.pass("vm").await.unwrap();
    assert_eq!(next, LOOK_AGAIN);
    assert_eq!(world.objects(), ["SimMachine@a"]);
}

#[tokio::test]
async fn a_manual_move_needs_the_annotation_and_uses_it_up() {
    let mut world = World::running().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["migrationPolicy"] = json!("manual");
        vm["spec"]["placement"] = in_dc("2");
    });
    world.settle().await;
    assert_eq!(world.objects(), ["SimMachine@a"]);
    assert_eq!(
        world.said("vm", ConditionType::PlacementValid),
        "False/ProviderChanged"
    );
    world.requests();
    world.edit("virtualmachines/vm", |vm| {
        vm["metadata"]["annotations"] = json!({ "banlieue.io/migrate": "true" });
    });
    assert_eq!(
        world.step().await,
        [
            STATUS,
            "patch virtualmachines/vm by banlieue.io/controller",
            "delete simmachines/vm",
        ]
    );
    let vm = world.server.get(&path("virtualmachines/vm")).unwrap();
    assert_eq!(vm["metadata"]["annotations"], json!({}));
    world.sync();
    world.settle().await;
    assert_eq!(world.objects(), ["SimMachine@b"]);
}

#[tokio::test]
async fn a_move_whose_class_vanished_deletes_and_waits_with_the_reason() {
    let mut world = moving("2").await;
    world.step().await;
    world.remove(&cluster_path("vmclasses/small"));
    world.settle().await;
    assert!(world.objects().is_empty());
    assert_eq!(
        world.said("vm", ConditionType::Reconciling),
        "True/ClassNotFound"
    );
    world.server.put(&cluster_path("vmclasses/small"), &class());
    world.sync();
    world.settle().await;
    assert_eq!(world.objects(), ["SimMachine@b"]);
}

#[tokio::test]
async fn a_destination_that_is_lost_on_the_way_is_replaced() {
    let mut world = moving("2").await;
    world.step().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["placement"] = in_dc("3");
    });
    world.settle().await;
    assert_eq!(world.objects(), ["LibvirtMachine@c"]);
    assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
}

#[tokio::test]
async fn a_provider_that_changes_its_labels_moves_nobody() {
    let mut world = World::running().await;
    world.edit("providers/a", |provider| {
        provider["metadata"]["labels"]["dc"] = json!("7");
    });
    world.settle().await;
    assert_eq!(world.objects(), ["SimMachine@a"]);
    assert_eq!(world.said("vm", ConditionType::Ready), "True/Reconciled");
    assert_eq!(
        world.said("vm", ConditionType::PlacementValid),
        "False/ProviderChanged"
    );
}
