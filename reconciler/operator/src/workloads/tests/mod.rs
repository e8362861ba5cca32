#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod deletion;
mod world;

use serde_json::json;

use world::{DEPLOYMENT, PROVIDER, World, class};

#[tokio::test]
async fn a_provider_is_held_before_its_process_gets_an_identity_rights_and_runs() {
    let mut world = World::new();
    world.reconcile().await.unwrap();
    assert_eq!(
        world.news(),
        [
            "hold providers prod/a",
            "apply serviceaccounts prod/banlieue-provider-sim-a",
            "apply leases prod/banlieue-provider-sim-a",
            "apply roles prod/banlieue-provider-sim-a",
            "apply rolebindings prod/banlieue-provider-sim-a",
            "apply rolebindings banlieue-imagebuild/banlieue-provider-sim-prod-a",
            "apply clusterrolebindings banlieue-provider-sim-prod-a",
            "apply deployments prod/banlieue-provider-sim-a",
            "apply providers prod/a/status",
        ]
    );
}

#[tokio::test]
async fn of_a_providers_status_only_its_workload_is_written_and_follows_the_deployment() {
    let world = World::registered().await;
    let expected = |ready: i32| {
        json!({ "workload": {
            "mode": "Managed", "namespace": "prod",
            "deploymentName": "banlieue-provider-sim-a", "image": "r/banlieue:v1",
            "readyReplicas": ready, "observedGeneration": 1,
        }})
    };
    assert_eq!(world.statuses(), [expected(0), expected(1)]);
}

#[tokio::test]
async fn another_class_replaces_the_process_and_leaves_nothing_of_the_former() {
    let mut world = World::registered().await;
    world.put(class("canary", "v2"));
    world.edit(PROVIDER, |provider| {
        provider["spec"]["providerClassRef"]["name"] = "canary".into();
    });
    world.reconcile().await.unwrap();
    assert_eq!(
        world.news(),
        [
            "apply serviceaccounts prod/banlieue-provider-canary-a",
            "apply leases prod/banlieue-provider-canary-a",
            "apply roles prod/banlieue-provider-canary-a",
            "apply rolebindings prod/banlieue-provider-canary-a",
            "apply rolebindings banlieue-imagebuild/banlieue-provider-canary-prod-a",
            "apply clusterrolebindings banlieue-provider-canary-prod-a",
            "delete deployments prod/banlieue-provider-sim-a",
            "delete leases prod/banlieue-provider-sim-a",
            "delete clusterrolebindings banlieue-provider-sim-prod-a",
            "delete rolebindings banlieue-imagebuild/banlieue-provider-sim-prod-a",
            "delete rolebindings prod/banlieue-provider-sim-a",
            "delete roles prod/banlieue-provider-sim-a",
            "delete serviceaccounts prod/banlieue-provider-sim-a",
            "apply deployments prod/banlieue-provider-canary-a",
            "apply providers prod/a/status",
        ]
    );
}

#[tokio::test]
async fn objects_in_a_former_namespace_go() {
    let mut world = World::registered().await;
    let pinned = |class: &mut serde_json::Value, namespace: &str| {
        class["spec"]["workloadNamespace"] = namespace.into();
    };
    let path = "/apis/banlieue.io/v1alpha1/providerclasses/sim";
    world.edit(path, |class| pinned(class, "workers"));
    world.reconcile().await.unwrap();
    world.news();
    world.edit(path, |class| pinned(class, "others"));
    world.reconcile().await.unwrap();
    let news = world.news();
    for gone in [
        "delete deployments workers/banlieue-provider-sim-a",
        "delete leases workers/banlieue-provider-sim-a",
        "delete rolebindings workers/banlieue-provider-sim-a",
        "delete roles workers/banlieue-provider-sim-a",
        "delete serviceaccounts workers/banlieue-provider-sim-a",
    ] {
        assert!(news.iter().any(|line| line == gone), "{gone} in {news:#?}");
    }
    assert_eq!(
        news.iter()
            .filter(|line| line.starts_with("delete"))
            .count(),
        5
    );
}

#[tokio::test]
async fn what_is_paused_is_left_as_it_is_and_still_shows_how_it_runs() {
    let sim = "/apis/banlieue.io/v1alpha1/providerclasses/sim";
    for paused in [PROVIDER, sim] {
        let mut world = World::registered().await;
        world.edit(paused, |object| object["spec"]["paused"] = true.into());
        world.edit(sim, |class| class["spec"]["image"]["tag"] = "v2".into());
        world.edit(DEPLOYMENT, |deployment| {
            deployment["status"]["readyReplicas"] = 0.into();
        });
        world.reconcile().await.unwrap();
        assert_eq!(world.news(), ["apply providers prod/a/status"], "{paused}");
        let status = world.statuses().pop().unwrap();
        assert_eq!(status["workload"]["readyReplicas"], 0);
        assert_eq!(status["workload"]["image"], "r/banlieue:v1");

        world.edit(paused, |object| object["spec"]["paused"] = false.into());
        world.reconcile().await.unwrap();
        let status = world.statuses().pop().unwrap();
        assert_eq!(status["workload"]["image"], "r/banlieue:v2", "{paused}");
    }
}

#[tokio::test]
async fn a_missing_class_is_told_and_stops_nothing() {
    let mut world = World::registered().await;
    world.drop("/apis/banlieue.io/v1alpha1/providerclasses/sim");
    world.reconcile().await.unwrap();
    assert_eq!(world.news(), ["tell ProviderClassNotFound"]);
    assert!(world.get(DEPLOYMENT).is_some());
}

#[tokio::test]
async fn where_somebody_else_runs_the_process_it_gets_identity_and_rights_only() {
    let mut world = World::registered().await;
    world.edit("/apis/banlieue.io/v1alpha1/providerclasses/sim", |class| {
        class["spec"]["deployment"] = "External".into();
    });
    world.reconcile().await.unwrap();
    let news = world.news();
    assert!(
        news.iter()
            .any(|line| line == "delete deployments prod/banlieue-provider-sim-a")
    );
    assert!(
        !news
            .iter()
            .any(|line| line.starts_with("apply deployments")),
        "{news:#?}"
    );
    let status = world.statuses().pop().unwrap();
    let workload = json!({ "mode": "External", "namespace": "prod", "observedGeneration": 1 });
    assert_eq!(status["workload"], workload);
}
