//! The control plane of the test bed: identities, garbage collection, namespaces,
//! and the record of what happened.

use banlieue_tests::cluster::{Cluster, Options};
use banlieue_tests::history::{Event, History, kind, step};
use banlieue_tests::wait::{eventually, until_gone};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, ServiceAccount};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

async fn control_plane() -> Cluster {
    let options = Options {
        node: None,
        ..Options::default()
    };
    Cluster::start(options).await.unwrap()
}

async fn create<K>(api: &Api<K>, object: Value) -> K
where
    K: Clone + std::fmt::Debug + DeserializeOwned + Serialize,
{
    let object = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap()
}

async fn namespace(client: &Client, name: &str) -> Api<Namespace> {
    let api = Api::all(client.clone());
    create(&api, json!({"metadata": {"name": name}})).await;
    api
}

#[tokio::test]
async fn a_role_grants_what_it_names_and_nothing_else() {
    let cluster = control_plane().await;
    let admin = cluster.client();
    let in_default = || Api::<ConfigMap>::namespaced(admin.clone(), "default");
    let accounts: Api<ServiceAccount> = Api::default_namespaced(admin.clone());
    create(&accounts, json!({"metadata": {"name": "reader"}})).await;
    for name in ["open", "closed"] {
        create(&in_default(), json!({"metadata": {"name": name}})).await;
    }
    let roles: Api<Role> = Api::default_namespaced(admin.clone());
    create(
        &roles,
        json!({
            "metadata": {"name": "reader"},
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["open"], "verbs": ["get"]}],
        }),
    )
    .await;
    let bindings: Api<RoleBinding> = Api::default_namespaced(admin.clone());
    create(
        &bindings,
        json!({
            "metadata": {"name": "reader"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
            "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": "default"}],
        }),
    )
    .await;

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
    let kinds = vec![kind::<ConfigMap>(), kind::<Namespace>()];
    let history = History::record(&client, kinds).await.unwrap();

    let namespaces = namespace(&client, "toy").await;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "toy");
    let owner = create(&maps, json!({"metadata": {"name": "owner"}})).await;
    create(
        &maps,
        json!({"metadata": {
            "name": "owned", "finalizers": ["tests.banlieue.io/held"],
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.metadata.uid,
            }],
        }}),
    )
    .await;
    maps.delete("owner", &DeleteParams::background())
        .await
        .unwrap();
    banlieue_tests::wait::until(&maps, "owned", "to be deleted", |map| {
        map.metadata.deletion_timestamp.is_some()
    })
    .await
    .unwrap();
    let release = json!({"metadata": {"finalizers": null}});
    let manager = PatchParams::apply("tests");
    maps.patch("owned", &PatchParams::default(), &Patch::Merge(release))
        .await
        .unwrap();
    until_gone(&maps, "owned").await.unwrap();
    let applied = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "last"}, "data": {"a": "b"}});
    maps.patch("last", &manager, &Patch::Apply(applied))
        .await
        .unwrap();
    namespaces
        .delete("toy", &DeleteParams::default())
        .await
        .unwrap();
    until_gone(&namespaces, "toy").await.unwrap();

    history
        .assert_order(&[
            step("the default namespace was there", |entry| {
                entry.event == Event::Found && entry.is("Namespace", "default")
            }),
            step("the namespace is created", |entry| {
                entry.event == Event::Added && entry.is("Namespace", "toy")
            }),
            step("the owned object has its owner", |entry| {
                entry.is("ConfigMap", "owned") && entry.owners == ["ConfigMap/owner"]
            }),
            step("the owner goes", |entry| {
                entry.event == Event::Deleted && entry.is("ConfigMap", "owner")
            }),
            step("the owned object waits for its finalizer", |entry| {
                entry.is("ConfigMap", "owned")
                    && entry.deletion_timestamp.is_some()
                    && entry.has_finalizer("tests.banlieue.io/held")
            }),
            step("the owned object goes", |entry| {
                entry.event == Event::Deleted && entry.is("ConfigMap", "owned")
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
