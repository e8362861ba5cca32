use super::*;

const STATUS: &str = "apply virtualmachines/vm/status by banlieue.io/controller";

#[tokio::test]
async fn objects_go_before_the_finalizer_does() {
    let mut world = World::running().await;
    world.remove(&path("virtualmachines/vm"));
    assert_eq!(world.step().await, ["delete simmachines/vm", STATUS]);
    assert_eq!(world.said("vm", ConditionType::Ready), "False/Deleting");
    assert_eq!(
        world.message("vm", ConditionType::Ready),
        "waits for SimMachine vm"
    );
    world.sync();
    assert_eq!(world.step().await, [""; 0], "the Provider is not done");
    world.provide();
    assert_eq!(
        world.step().await,
        [
            "get simmachines/vm",
            "patch virtualmachines/vm by banlieue.io/controller"
        ]
    );
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
    assert_eq!(world.step().await, [""; 0], "no watch told that it is gone");
}

#[tokio::test]
async fn whatever_is_gone_first_does_not_matter() {
    let mut world = World::running().await;
    for gone in ["vmclasses/small", "vmimages/linux", "providerclasses/sim"] {
        world.remove(&cluster_path(gone));
    }
    world.remove(&path("providers/a"));
    world.remove(&path("virtualmachines/vm"));
    world.settle().await;
    assert!(world.objects().is_empty());
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn what_the_object_waits_for_is_said() {
    let mut world = World::running().await;
    world.remove(&path("virtualmachines/vm"));
    world.step().await;
    world.edit("simmachines/vm", |machine| {
        machine["status"]["conditions"] = json!([condition(
            "Ready",
            "False",
            "Deleting",
            "the backend does not answer"
        )]);
    });
    world.step().await;
    assert_eq!(
        world.message("vm", ConditionType::Ready),
        "waits for SimMachine vm: the backend does not answer"
    );
}

#[tokio::test]
async fn what_was_said_of_the_object_before_its_deletion_is_not_what_it_waits_for() {
    let mut world = World::running().await;
    world.edit("simmachines/vm", |machine| {
        machine["status"]["conditions"] =
            json!([condition("Ready", "True", "PoweredOn", "the machine runs")]);
    });
    world.settle().await;
    world.requests();
    world.remove(&path("virtualmachines/vm"));
    assert_eq!(world.step().await, ["delete simmachines/vm", STATUS]);
    world.sync();
    assert_eq!(world.step().await, [""; 0], "said already");
}

#[tokio::test]
async fn objects_of_every_kind_go_and_those_of_others_stay() {
    let mut world = World::running().await;
    let own = world.server.get(&path("simmachines/vm")).unwrap();
    let mut stray = own.clone();
    stray["kind"] = json!("LibvirtMachine");
    stray["metadata"]["name"] = json!("stray");
    stray["metadata"]["uid"] = json!("stray");
    stray["spec"]["vcpus"] = json!(1);
    world.server.put(&path("libvirtmachines/stray"), &stray);
    let mut foreign = own;
    foreign["metadata"]["name"] = json!("foreign");
    foreign["metadata"]["uid"] = json!("foreign");
    foreign["metadata"]["ownerReferences"][0]["uid"] = json!("somebody");
    foreign["metadata"]["labels"]["banlieue.io/owned-by"] = json!("vm");
    world.server.put(&path("simmachines/foreign"), &foreign);
    world.sync();
    world.remove(&path("virtualmachines/vm"));
    world.settle().await;
    let left: Vec<String> = world.server.all("simmachines").into_keys().collect();
    assert_eq!(left, [path("simmachines/foreign")]);
    assert!(world.server.all("libvirtmachines").is_empty());
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn a_cache_that_lost_everything_does_not_let_the_machine_go() {
    let mut world = World::running().await;
    world.remove(&path("virtualmachines/vm"));
    world.feeds.lose_machines();
    let next = world.pass("vm").await.unwrap();
    assert_eq!(next, LOOK_AGAIN);
    assert_eq!(
        world.requests(),
        ["get simmachines/vm", "delete simmachines/vm", STATUS]
    );
    world.settle().await;
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn a_machine_that_was_paused_by_its_user_waits_until_it_is_not() {
    let mut world = World::running().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["paused"] = json!(true);
    });
    world.settle().await;
    world.remove(&path("virtualmachines/vm"));
    world.requests();
    assert_eq!(world.step().await, [STATUS]);
    let message = "nothing is deleted while spec.paused is set";
    assert_eq!(world.message("vm", ConditionType::Ready), message);
    world.sync();
    assert_eq!(world.step().await, [""; 0]);
    assert_eq!(world.objects(), ["SimMachine@a"]);
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["paused"] = json!(false);
    });
    world.settle().await;
    assert!(world.objects().is_empty());
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn a_stored_machine_that_does_not_parse_can_be_deleted() {
    let mut world = World::running().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["classRef"] = json!("not an object");
    });
    assert_eq!(world.step().await, [""; 0], "it is left alone otherwise");
    world.remove(&path("virtualmachines/vm"));
    assert_eq!(world.step().await, ["delete simmachines/vm"]);
    world.sync();
    world.provide();
    let every_kind = [
        "get vspheremachines/vm",
        "get libvirtmachines/vm",
        "get simmachines/vm",
    ];
    let requests = world.step().await;
    assert_eq!(requests[..3], every_kind);
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn a_machine_object_that_does_not_parse_goes_too() {
    let mut world = World::running().await;
    world.edit("simmachines/vm", |machine| {
        machine["spec"]["numCpus"] = json!("many");
    });
    world.step().await;
    assert_eq!(
        world.said("vm", ConditionType::Stalled),
        "True/InfraBuildFailed"
    );
    world.remove(&path("virtualmachines/vm"));
    world.settle().await;
    assert!(world.objects().is_empty());
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn a_machine_that_never_got_a_place_goes_at_once() {
    let mut world = World::with_vm(|vm| vm["spec"]["classRef"]["name"] = json!("missing"));
    world.settle().await;
    world.remove(&path("virtualmachines/vm"));
    world.requests();
    assert_eq!(
        world.step().await,
        ["patch virtualmachines/vm by banlieue.io/controller"]
    );
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}

#[tokio::test]
async fn a_deletion_in_the_middle_of_a_move_leaves_nothing() {
    let mut world = World::running().await;
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["placement"] = in_dc("3");
    });
    world.step().await;
    world.remove(&path("virtualmachines/vm"));
    world.settle().await;
    assert!(world.objects().is_empty());
    assert!(world.server.get(&path("virtualmachines/vm")).is_none());
}
