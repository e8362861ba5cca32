use banlieue_kit::errors::ErrorKind;
use futures::StreamExt;

use super::*;

fn from_secret(vm: &mut Value) {
    vm["spec"]["userData"] = json!({ "secretRef": { "name": "cloud" } });
    vm["spec"]["placement"] = in_dc("1");
}

fn secret(text: &str) -> Value {
    // `data` is base64; the server of the test stores it as it is.
    json!({
        "metadata": { "name": "cloud", "namespace": "prod" },
        "data": { "user-data": text },
    })
}

/// `hostname: ${VM_NAME}`
const HOSTNAME: &str = "aG9zdG5hbWU6ICR7Vk1fTkFNRX0=";

#[tokio::test]
async fn it_is_read_once_filled_in_and_kept_by_the_object() {
    let mut world = World::new();
    world.server.put(&path("secrets/cloud"), &secret(HOSTNAME));
    world.add("vm", from_secret);
    let requests = world.step().await;
    assert_eq!(requests[1], "get secrets/cloud");
    let user_data = |world: &World| {
        let machine = world.server.get(&path("simmachines/vm")).unwrap();
        machine["spec"]["userData"].clone()
    };
    assert_eq!(user_data(&world), "hostname: vm");
    world.sync();
    world.provide();
    world.server.delete(&path("secrets/cloud"));
    world.edit("virtualmachines/vm", |vm| {
        vm["spec"]["desiredPowerState"] = json!("PoweredOff");
    });
    world.settle().await;
    assert_eq!(user_data(&world), "hostname: vm");
    let reads = world
        .server
        .lines()
        .into_iter()
        .filter(|line| line.contains("secrets"));
    assert_eq!(reads.count(), 1);
}

#[tokio::test]
async fn a_config_map_does_as_well() {
    let mut world = World::new();
    let map = json!({
        "metadata": { "name": "cloud", "namespace": "prod" }, "data": { "key": "text" },
    });
    world.server.put(&path("configmaps/cloud"), &map);
    world.add("vm", |vm| {
        vm["spec"]["userData"] = json!({ "configMapRef": { "name": "cloud", "key": "key" } });
    });
    world.step().await;
    assert_eq!(world.objects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_missing_source_is_found_again_by_a_watch_without_content() {
    let mut world = World::with_vm(from_secret);
    world.step().await;
    assert_eq!(
        world.message("vm", ConditionType::Ready),
        "Secret cloud does not exist"
    );
    world.server.put(&path("secrets/cloud"), &secret(HOSTNAME));
    let woken = world.woken.next().await.unwrap();
    assert_eq!(woken.name, "vm");
    world.settle().await;
    assert_eq!(world.objects().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_source_without_the_key_is_named_with_it() {
    let mut world = World::new();
    let empty = json!({ "metadata": { "name": "cloud", "namespace": "prod" } });
    world.server.put(&path("secrets/cloud"), &empty);
    world.add("vm", from_secret);
    world.step().await;
    let message = "Secret cloud has no key user-data";
    assert_eq!(world.message("vm", ConditionType::Ready), message);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_without_a_role_fails_for_itself_and_is_tried_again() {
    let mut world = World::with_vm(from_secret);
    world.server.refuse("get secrets/cloud", 403, "Forbidden");
    world.add("other", |_| {});
    let error = world.pass("vm").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Forbidden);
    assert_eq!(
        world.said("vm", ConditionType::Ready),
        "False/UserDataNotFound"
    );
    let message = world.message("vm", ConditionType::Ready);
    assert!(message.contains("a Role of the namespace"), "{message}");
    world.pass("other").await.unwrap();
    assert_eq!(
        world.said("other", ConditionType::Scheduled),
        "True/Scheduled"
    );
}

#[tokio::test(start_paused = true)]
async fn too_much_is_refused_with_the_number_of_bytes_before_anything_is_made() {
    let mut world = World::new();
    let large = "AAAA".repeat(400_000);
    world.server.put(&path("secrets/cloud"), &secret(&large));
    world.add("vm", from_secret);
    world.step().await;
    assert_eq!(
        world.said("vm", ConditionType::Stalled),
        "True/UserDataTooLarge"
    );
    assert!(
        world
            .message("vm", ConditionType::Stalled)
            .contains("1200000 bytes")
    );
    assert!(world.objects().is_empty());
}
