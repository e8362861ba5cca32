//! The control plane of the test bed: identities, garbage collection, namespaces,
//! and the record of what happened.

use banlieue_schemas::infrastructure::SimMachine;
use banlieue_tests::cel_cases::Suite;
use banlieue_tests::cluster::{Cluster, Options};
use banlieue_tests::history::{Event, History, kind, step};
use banlieue_tests::tools::checkout;
use banlieue_tests::wait::{eventually, until, until_gone};
use banlieue_tests::workload::create;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, ServiceAccount};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

const HELD: &str = "tests.banlieue.io/held";

async fn control_plane() -> Cluster {
    let options = Options {
        manifests: vec![checkout().join("schemas/crds")],
        node: None,
        ..Options::default()
    };
    Cluster::start(options).await.unwrap()
}

#[tokio::test]
async fn a_role_grants_what_it_names_and_nothing_else() {
    let cluster = control_plane().await;
    let admin = cluster.client();
    let reader = json!({"metadata": {"name": "reader"}});
    create::<ServiceAccount>(&admin, "default", reader)
        .await
        .unwrap();
    for name in ["open", "closed"] {
        let map = json!({"metadata": {"name": name}});
        create::<ConfigMap>(&admin, "default", map).await.unwrap();
    }
    let role = json!({
        "metadata": {"name": "reader"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["open"], "verbs": ["get"]}],
    });
    create::<Role>(&admin, "default", role).await.unwrap();
    let binding = json!({
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": "default"}],
    });
    create::<RoleBinding>(&admin, "default", binding)
        .await
        .unwrap();

    let reader = cluster.client_as("default", "reader").await.unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(reader);
    // The authoriser learns of a new role through a watch of its own.
    eventually("the role to be known", async || {
        Ok(maps.get("open").await?)
    })
    .await
    .unwrap();
    let refused = maps.get("closed").await.unwrap_err().to_string();
    assert!(
        refused.contains("system:serviceaccount:default:reader"),
        "{refused}"
    );
}

#[tokio::test]
async fn owned_objects_and_namespaces_end_and_the_record_shows_the_order() {
    let cluster = control_plane().await;
    let client = cluster.client();
    let kinds = vec![
        kind::<ConfigMap>(),
        kind::<Namespace>(),
        kind::<SimMachine>(),
    ];
    let history = History::record(&client, kinds).await.unwrap();

    let namespaces: Api<Namespace> = Api::all(client.clone());
    let toy = serde_json::from_value(json!({"metadata": {"name": "toy"}})).unwrap();
    namespaces
        .create(&PostParams::default(), &toy)
        .await
        .unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "toy");
    let owner = json!({"metadata": {"name": "owner"}});
    let owner: ConfigMap = create(&client, "toy", owner).await.unwrap();
    let mut machine = Suite::load("SimMachine").unwrap().base;
    machine["metadata"] = json!({
        "name": "owned", "finalizers": [HELD],
        "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.metadata.uid,
        }],
    });
    create::<SimMachine>(&client, "toy", machine).await.unwrap();
    let parameters = DeleteParams::background();
    maps.delete("owner", &parameters).await.unwrap();
    let machines: Api<SimMachine> = Api::namespaced(client.clone(), "toy");
    until(&machines, "owned", "to be deleted", |machine| {
        machine.metadata.deletion_timestamp.is_some()
    })
    .await
    .unwrap();
    let release = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    let parameters = PatchParams::default();
    machines
        .patch("owned", &parameters, &release)
        .await
        .unwrap();
    until_gone(&machines, "owned").await.unwrap();

    let applied = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "last"}, "data": {"a": "b"},
    });
    maps.patch("last", &PatchParams::apply("tests"), &Patch::Apply(applied))
        .await
        .unwrap();
    let parameters = DeleteParams::default();
    namespaces.delete("toy", &parameters).await.unwrap();
    until_gone(&namespaces, "toy").await.unwrap();

    history
        .assert_order(&[
            step("the default namespace was there", |entry| {
                entry.event == Event::Found && entry.is("Namespace", "default")
            }),
            step("the namespace is created", |entry| {
                entry.event == Event::Added && entry.is("Namespace", "toy")
            }),
            step("the machine has its owner", |entry| {
                entry.is("SimMachine", "owned") && entry.owners == ["ConfigMap/owner"]
            }),
            step("the owner goes", |entry| {
                entry.event == Event::Deleted && entry.is("ConfigMap", "owner")
            }),
            step("the machine waits for its finalizer", |entry| {
                entry.is("SimMachine", "owned")
                    && entry.deletion_timestamp.is_some()
                    && entry.has_finalizer(HELD)
            }),
            step("the machine goes", |entry| {
                entry.event == Event::Deleted && entry.is("SimMachine", "owned")
            }),
            step("the last object is applied", |entry| {
                entry.is("ConfigMap", "last") && entry.has_manager("tests", "")
            }),
            step("the namespace is emptied", |entry| {
                entry.event == Event::Deleted && entry.is("ConfigMap", "last")
            }),
            step("the namespace goes", |entry| {
                entry.event == Event::Deleted && entry.is("Namespace", "toy")
            }),
        ])
        .await;
}
