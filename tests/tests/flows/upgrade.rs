//! Flow 8: one edit of a class upgrades the processes of all its Providers; another class tries a
//! new image on one. Machines notice neither.

use banlieue_schemas::names;
use banlieue_schemas::platform::{Provider, ProviderClass};
use banlieue_tests::history::{Entry, Event, History, kind, step};
use banlieue_tests::live::{Platform, is_ready, ready};
use banlieue_tests::wait::until;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, Role, RoleBinding};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};

use crate::register::reads_only;
use crate::{CANARY, OPERATOR, TEAM, machine_of, run, site};

#[tokio::test]
async fn one_edit_of_a_class_upgrades_every_provider_and_touches_no_machine() {
    let platform = site(&["west", "east"]).await;
    let client = platform.client();
    run(&platform, "web", "west").await;
    let machine = machine_of(&client, "web").await;
    let history = record(&client).await;
    a_pause_holds_an_edit_back(&platform, &history).await;

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
            .await
            .is_shown("docs/flows/upgrade.md", "rollout")
            .unwrap();
    }
    history
        .assert_order(&[
            step("1. a person edits the class", |entry| {
                entry.is("ProviderClass", "sim") && entry.at("/spec/image/tag") == "v0.2.0"
            }),
            step("4. the operator says that it is usable", |entry| {
                entry.at("/spec/image/tag") == "v0.2.0" && counts(entry, "sim", 2)
            }),
        ])
        .await
        .is_shown("docs/flows/upgrade.md", "the class")
        .unwrap();
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
                gone(entry, "Deployment", &old)
            }),
            step("3. with its Lease", |entry| gone(entry, "Lease", &old)),
            step(
                "3. with the grant that no owner reference reaches",
                |entry| gone(entry, "ClusterRoleBinding", &old_grant),
            ),
            step("3. its right to the Secret is taken away", |entry| {
                gone(entry, "RoleBinding", &old)
            }),
            step("3. and ends", |entry| {
                gone(entry, "Role", &old) && reads_only(entry, "west-credentials")
            }),
            step("3. with its identity", |entry| {
                gone(entry, "ServiceAccount", &old)
            }),
            step("3. the new process comes", |entry| {
                entry.event == Event::Added && entry.is("Deployment", &new)
            }),
            step("and takes its own Lease", |entry| {
                entry.is("Lease", &new) && entry.at("/spec/holderIdentity").is_string()
            }),
        ])
        .await
        .is_shown("docs/flows/upgrade.md", "canary")
        .unwrap();
    history
        .assert_order(&[
            step("1. a person points it at another class", |entry| {
                entry.is("Provider", "west") && entry.at("/spec/providerClassRef/name") == CANARY
            }),
            step("4. the operator counts who is left of the class", |entry| {
                counts(entry, "sim", 1)
            }),
        ])
        .await
        .is_shown("docs/flows/upgrade.md", "the former class")
        .unwrap();
    history
        .assert_order(&[
            step("1. a person makes a second class", |entry| {
                entry.event == Event::Added && entry.is("ProviderClass", CANARY)
            }),
            step("4. the operator says that it can be used", |entry| {
                counts(entry, CANARY, 0)
            }),
            step("4. and then, by one", |entry| counts(entry, CANARY, 1)),
        ])
        .await
        .is_shown("docs/flows/upgrade.md", "the new class")
        .unwrap();
    // The other Provider keeps its process, and the machine its machine.
    serves_with(&client, &names::workload("sim", "east"), "").await;
    run(&platform, "api", "west").await;
    let same = machine_of(&client, "web").await;
    assert_eq!(same.uid(), machine.uid());
    assert!(is_ready(&same));
}

/// A paused class changes no process, whatever is edited, until the pause ends.
async fn a_pause_holds_an_edit_back(platform: &Platform, history: &History) {
    let client = platform.client();
    let classes: Api<ProviderClass> = Api::all(client.clone());
    let edit = async |spec: Value| {
        let edit = Patch::Merge(json!({"spec": spec}));
        let edited = classes.patch("sim", &PatchParams::default(), &edit).await;
        edited.unwrap();
    };
    edit(json!({"paused": true})).await;
    edit(json!({"image": {"tag": "v0.1.1"}})).await;
    until(&classes, "sim", "to be seen as it is now", |class| {
        let status = class.status.as_ref();
        status.is_some_and(|status| status.observed_generation == class.metadata.generation)
    })
    .await
    .unwrap();
    // The operator knows the edit by now. That it looks at a Provider again shows when the process
    // of that Provider hangs.
    let node = platform.cluster().node().unwrap();
    let pods = platform.pods(TEAM, "west").await.unwrap();
    node.freeze(TEAM, &pods[0]).unwrap();
    replicas(&client, "west", 0).await;
    node.thaw(TEAM, &pods[0]).unwrap();
    replicas(&client, "west", 1).await;
    assert_eq!(platform.pods(TEAM, "west").await.unwrap(), pods);

    edit(json!({"paused": null})).await;
    for provider in ["west", "east"] {
        let name = names::workload("sim", provider);
        serves_with(&client, &name, ":v0.1.1").await;
        let rolls = |entry: &Entry| {
            entry.is("Deployment", &name)
                && entry.has_manager(OPERATOR, "")
                && image(entry).ends_with(":v0.1.1")
        };
        history
            .assert_order(&[
                step("a person pauses the class", |entry| {
                    entry.is("ProviderClass", "sim") && entry.at("/spec/paused") == true
                }),
                step("and edits it", |entry| {
                    entry.is("ProviderClass", "sim") && entry.at("/spec/image/tag") == "v0.1.1"
                }),
                step("the operator says that it saw both", |entry| {
                    counts(entry, "sim", 2)
                        && entry.at("/spec/image/tag") == "v0.1.1"
                        && entry.condition("Paused") == "True"
                }),
                step("it looks at a Provider of the class", |entry| {
                    entry.is("Provider", "west")
                        && entry.has_manager(OPERATOR, "status")
                        && entry.at("/status/workload/readyReplicas") == 0
                })
                .again(),
                step("a person ends the pause", |entry| {
                    entry.is("ProviderClass", "sim") && entry.at("/spec/paused").is_null()
                })
                .again(),
                step("only now the operator changes the Deployment", rolls),
            ])
            .await
            .is_shown("docs/flows/upgrade.md", "pause")
            .unwrap();
    }
    ready(&classes, "sim").await.unwrap();
}

async fn record(client: &Client) -> History {
    let kinds = vec![
        kind::<Provider>(),
        kind::<ProviderClass>(),
        kind::<ServiceAccount>(),
        kind::<Role>(),
        kind::<RoleBinding>(),
        kind::<ClusterRoleBinding>(),
        kind::<Deployment>(),
        kind::<Lease>(),
    ];
    History::record(client, kinds).await.unwrap()
}

/// Whether a class is said to be usable, as it is now and by so many Providers.
fn counts(class: &Entry, name: &str, providers: i64) -> bool {
    class.is("ProviderClass", name)
        && class.has_only_manager(OPERATOR, "status")
        && class.at("/status/providers") == providers
        && class.at("/status/observedGeneration").as_i64() == class.object.metadata.generation
        && class.condition("Ready") == "True"
}

/// Whether the object leaves the store here.
fn gone(entry: &Entry, kind: &str, name: &str) -> bool {
    entry.event == Event::Deleted && entry.is(kind, name)
}

/// Waits until the operator says that so many replicas of a Provider's process are ready.
async fn replicas(client: &Client, provider: &str, ready: i32) {
    let providers: Api<Provider> = Api::namespaced(client.clone(), TEAM);
    until(&providers, provider, "to have replicas", |provider| {
        let status = provider.status.as_ref();
        let workload = status.and_then(|status| status.workload.as_ref());
        workload.and_then(|workload| workload.ready_replicas) == Some(ready)
    })
    .await
    .unwrap();
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
