//! Flow 8: one edit of a class upgrades the processes of all its Providers; another class tries a
//! new image on one. Machines notice neither.

use banlieue_schemas::names;
use banlieue_schemas::platform::{Provider, ProviderClass};
use banlieue_tests::history::{Entry, Event, History, kind, step};
use banlieue_tests::live::is_ready;
use banlieue_tests::wait::until;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use crate::{CANARY, OPERATOR, TEAM, machine_of, run, site};

#[tokio::test]
async fn one_edit_of_a_class_upgrades_every_provider_and_touches_no_machine() {
    let platform = site(&["west", "east"]).await;
    let client = platform.client();
    run(&platform, "web", "west").await;
    let machine = machine_of(&client, "web").await;
    let history = record(&client).await;

    let classes: Api<ProviderClass> = Api::all(client.clone());
    let edit = Patch::Merge(json!({"spec": {"image": {"tag": "v0.2.0"}}}));
    classes
        .patch("sim", &PatchParams::default(), &edit)
        .await
        .unwrap();
    for provider in ["west", "east"] {
        serves_with(&client, &names::workload("sim", provider), ":v0.2.0").await;
    }
    let class = classes.get("sim").await.unwrap();
    assert_eq!(class.status.as_ref().unwrap().providers, Some(2));
    assert!(is_ready(&class), "4. the class says that it is usable");
    for provider in ["west", "east"] {
        let name = names::workload("sim", provider);
        history
            .assert_order(&[
                step("1. a person edits the class", |entry| {
                    entry.is("ProviderClass", "sim") && entry.at("/spec/image/tag") == "v0.2.0"
                }),
                step("2. and 3. the operator changes the Deployment", |entry| {
                    entry.is("Deployment", &name)
                        && entry.has_manager(OPERATOR, "")
                        && image(entry).ends_with(":v0.2.0")
                }),
                step("3. which rolls", |entry| {
                    entry.is("Deployment", &name)
                        && image(entry).ends_with(":v0.2.0")
                        && entry.at("/status/observedGeneration").as_i64()
                            == entry.object.metadata.generation
                        && entry.at("/status/updatedReplicas") == 1
                        && entry.at("/status/replicas") == 1
                }),
            ])
            .await;
    }
    // The new process works, and what its predecessor made is its own.
    run(&platform, "api", "west").await;
    let same = machine_of(&client, "web").await;
    assert_eq!(same.uid(), machine.uid());
    assert!(is_ready(&same));
    assert_eq!(
        platform.simulator().machines("west").await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn another_class_replaces_one_process_and_leaves_nothing_of_the_former() {
    let platform = site(&["west", "east"]).await;
    let client = platform.client();
    run(&platform, "web", "west").await;
    let machine = machine_of(&client, "web").await;
    let history = record(&client).await;

    let classes: Api<ProviderClass> = Api::all(client.clone());
    let mut canary = classes.get("sim").await.unwrap();
    canary.metadata = serde_json::from_value(json!({"name": CANARY})).unwrap();
    canary.status = None;
    canary.spec.image.as_mut().unwrap().tag = Some("v0.3.0-rc.1".to_owned());
    classes
        .create(&PostParams::default(), &canary)
        .await
        .unwrap();
    let providers: Api<Provider> = Api::namespaced(client.clone(), TEAM);
    let edit = Patch::Merge(json!({"spec": {"providerClassRef": {"name": CANARY}}}));
    providers
        .patch("west", &PatchParams::default(), &edit)
        .await
        .unwrap();

    let (old, new) = (
        names::workload("sim", "west"),
        names::workload(CANARY, "west"),
    );
    serves_with(&client, &new, ":v0.3.0-rc.1").await;
    for (class, count) in [("sim", 1), (CANARY, 1)] {
        until(&classes, class, "to count its Providers", |class| {
            class.status.as_ref().and_then(|status| status.providers) == Some(count)
        })
        .await
        .unwrap();
    }
    let cluster_wide = |class| names::cluster_scoped_workload(class, TEAM, "west");
    let (old_grant, new_grant) = (cluster_wide("sim"), cluster_wide(CANARY));
    history
        .assert_order(&[
            step(
                "1. a person points one Provider at another class",
                |entry| {
                    entry.is("Provider", "west")
                        && entry.at("/spec/providerClassRef/name") == CANARY
                },
            ),
            step("3. the new process gets its rights", |entry| {
                entry.event == Event::Added && entry.is("ClusterRoleBinding", &new_grant)
            }),
            step("3. the old process goes", |entry| {
                entry.event == Event::Deleted && entry.is("Deployment", &old)
            }),
            step("3. with its Lease", |entry| {
                entry.event == Event::Deleted && entry.is("Lease", &old)
            }),
            step(
                "3. with the grant that no owner reference reaches",
                |entry| entry.event == Event::Deleted && entry.is("ClusterRoleBinding", &old_grant),
            ),
            step("3. the new process comes", |entry| {
                entry.event == Event::Added && entry.is("Deployment", &new)
            }),
            step("and takes its own Lease", |entry| {
                entry.is("Lease", &new) && entry.at("/spec/holderIdentity").is_string()
            }),
        ])
        .await;
    // The other Provider keeps its process, and the machine its machine.
    serves_with(&client, &names::workload("sim", "east"), "").await;
    run(&platform, "api", "west").await;
    let same = machine_of(&client, "web").await;
    assert_eq!(same.uid(), machine.uid());
    assert!(is_ready(&same));
}

async fn record(client: &Client) -> History {
    let kinds = vec![
        kind::<Provider>(),
        kind::<ProviderClass>(),
        kind::<ClusterRoleBinding>(),
        kind::<Deployment>(),
        kind::<Lease>(),
    ];
    History::record(client, kinds).await.unwrap()
}

/// Image of a Deployment's container.
fn image(deployment: &Entry) -> &str {
    let image = deployment.at("/spec/template/spec/containers/0/image");
    image.as_str().unwrap_or_default()
}

/// Waits until a Deployment runs nothing but an image whose name has that end.
async fn serves_with(client: &Client, name: &str, end: &str) {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), TEAM);
    until(&deployments, name, "to have the image", |deployment| {
        let pod = deployment
            .spec
            .as_ref()
            .and_then(|spec| spec.template.spec.as_ref());
        let mut images = pod
            .iter()
            .flat_map(|pod| &pod.containers)
            .filter_map(|it| it.image.as_ref());
        images.all(|image| image.ends_with(end))
    })
    .await
    .unwrap();
    banlieue_tests::workload::available(client, TEAM, name)
        .await
        .unwrap();
}
