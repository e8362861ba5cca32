//! Deletion always ends, and never before the machines of the Provider did.

use std::time::Duration;

use banlieue_kit::Timestamp;
use banlieue_kit::runner::{Next, Reconciler};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::world::{DEPLOYMENT, NOW, PROVIDER, World, machine};

const MACHINE: &str = "/apis/infrastructure.banlieue.io/v1alpha1/namespaces/prod/simmachines/vm";
const REFUGE: &str =
    "/apis/apps/v1/namespaces/banlieue-system/deployments/banlieue-provider-sim-prod-a";
const CLASS: &str = "/apis/banlieue.io/v1alpha1/providerclasses/sim";

const NO_MACHINES: [&str; 3] = [
    "list simmachines prod",
    "list libvirtmachines prod",
    "list vspheremachines prod",
];

#[tokio::test]
async fn what_no_owner_reference_reaches_goes_before_the_finalizer() {
    let mut world = World::registered().await;
    world.delete_provider();
    world.reconcile().await.unwrap();
    let rest = [
        "list deployments",
        "list leases",
        "list clusterrolebindings",
        "delete clusterrolebindings banlieue-provider-sim-prod-a",
        "list rolebindings",
        "delete rolebindings banlieue-imagebuild/banlieue-provider-sim-prod-a",
        "list roles",
        "list serviceaccounts",
        "release providers prod/a",
    ];
    assert_eq!(world.news(), [&NO_MACHINES[..], &rest].concat());
}

#[tokio::test]
async fn the_process_outlives_the_machines() {
    let mut world = World::registered().await;
    world.put(machine());
    world.delete_provider();
    let next = world.reconcile().await.unwrap();
    assert_eq!(next, Next::After(Duration::from_secs(1)));
    let news = world.news();
    assert_eq!(news[..2], ["list simmachines prod", "tell Deleting"]);
    assert!(
        news.iter()
            .all(|line| !line.starts_with("delete") && !line.starts_with("release"))
    );
    assert!(world.get(DEPLOYMENT).is_some());

    world.drop(MACHINE);
    world.reconcile().await.unwrap();
    assert_eq!(world.news().last().unwrap(), "release providers prod/a");
}

#[tokio::test]
async fn a_process_that_vanished_is_started_again_even_without_its_class() {
    for lost in [false, true] {
        let mut world = World::registered().await;
        world.put(machine());
        world.delete_provider();
        world.drop(DEPLOYMENT);
        if lost {
            world.drop(CLASS);
        } else {
            world.edit(CLASS, |class| class["spec"]["paused"] = true.into());
        }
        world.reconcile().await.unwrap();
        let deployment = world.get(DEPLOYMENT).unwrap();
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["image"], "r/banlieue:v1");
        world.news();

        // Now that it runs again, it is left as it is.
        world.edit(PROVIDER, |provider| {
            provider["spec"]["paused"] = true.into();
        });
        world.reconcile().await.unwrap();
        let news = world.news();
        assert!(
            !news
                .iter()
                .any(|line| line.starts_with("apply deployments")),
            "{news:#?}"
        );
    }
}

#[tokio::test]
async fn a_process_whose_namespace_is_going_finds_a_refuge_until_the_machines_are_gone() {
    for class_is_gone in [false, true] {
        let mut world = World::registered().await;
        world.put(machine());
        world.delete_namespace();
        if class_is_gone {
            world.drop(CLASS);
        }
        world.reconcile().await.unwrap();
        let refuge = world.get(REFUGE).unwrap();
        assert_eq!(
            refuge["metadata"]["labels"]["banlieue.io/provider-namespace"],
            "prod"
        );
        assert!(refuge["metadata"]["ownerReferences"].is_null());
        let status = world.statuses().pop().unwrap();
        assert_eq!(status["workload"]["namespace"], "banlieue-system");
        world.news();

        // It is not tried again where nothing can be made.
        world.reconcile().await.unwrap();
        let news = world.news();
        assert!(
            !news
                .iter()
                .any(|line| line.starts_with("apply") && line.contains(" prod/banlieue")),
            "{news:#?}"
        );

        world.drop(MACHINE);
        world.reconcile().await.unwrap();
        assert!(world.get(REFUGE).is_none());
        assert_eq!(world.news().last().unwrap(), "release providers prod/a");
    }
}

#[tokio::test]
async fn a_process_that_still_runs_in_a_going_namespace_is_not_doubled() {
    let mut world = World::registered().await;
    world.put(machine());
    let deployment = world.get(DEPLOYMENT).unwrap();
    world.delete_namespace();
    world.put(deployment);
    world.reconcile().await.unwrap();
    assert!(world.get(REFUGE).is_none());
    let news = world.news();
    assert!(
        !news.iter().any(|line| line.starts_with("delete")),
        "{news:#?}"
    );
}

#[tokio::test]
async fn a_stored_provider_of_another_shape_ends_too() {
    let mut world = World::registered().await;
    world.delete_provider();
    let stored = world.get(PROVIDER).unwrap();
    let meta: ObjectMeta = serde_json::from_value(stored["metadata"].clone()).unwrap();
    let now: Timestamp = NOW.parse().unwrap();
    world.put(machine());
    let invalid = async |world: &World| world.reconciler().invalid(&meta, "text", now).await;
    assert!(matches!(invalid(&world).await.unwrap(), Next::After(_)));
    world.drop(MACHINE);
    world.news();
    assert_eq!(invalid(&world).await.unwrap(), Next::Wait);
    assert_eq!(world.news().last().unwrap(), "release providers prod/a");
}
