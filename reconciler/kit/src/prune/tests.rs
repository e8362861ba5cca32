#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use serde_json::{Value, json};

use super::*;
use crate::errors::ErrorKind;
use crate::fake::{Answer, Call, Fake};

fn meta(namespace: Option<&str>, name: &str) -> Value {
    let mut meta = json!({"name": name, "uid": format!("uid-{name}")});
    if let Some(namespace) = namespace {
        meta["namespace"] = namespace.into();
    }
    meta
}

/// Serves two pages of metadata, and deletes.
fn server(namespace: Option<&'static str>) -> Fake {
    Fake::new(move |call| {
        if call.method == "DELETE" {
            return Answer::ok(json!({"kind": "Status", "status": "Success"}));
        }
        let (names, token) = if call.query.contains("continue=") {
            (vec!["c"], "")
        } else {
            (vec!["a", "b"], "more")
        };
        let items = names
            .iter()
            .map(|name| json!({"metadata": meta(namespace, name)}));
        Answer::ok(json!({
            "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
            "metadata": {"continue": token}, "items": items.collect::<Vec<_>>(),
        }))
    })
}

fn labels() -> BTreeMap<String, String> {
    [("x/owner", "p"), ("x/kind", "k")]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .into()
}

fn keeps_b(meta: &ObjectMeta) -> bool {
    meta.name.as_deref() == Some("b")
}

#[tokio::test]
async fn what_the_plan_does_not_hold_goes_from_every_namespace_and_page() {
    let fake = server(Some("ns"));
    let pruned = prune_listed::<ConfigMap>(&fake.client(), None, &labels(), keeps_b)
        .await
        .unwrap();
    let names: Vec<_> = pruned
        .iter()
        .map(|meta| meta.name.clone().unwrap())
        .collect();
    assert_eq!(names, ["a", "c"]);
    let calls = fake.calls();
    let lines: Vec<_> = calls.iter().map(Call::line).collect();
    assert_eq!(
        lines,
        [
            "GET /api/v1/configmaps",
            "GET /api/v1/configmaps",
            "DELETE /api/v1/namespaces/ns/configmaps/a",
            "DELETE /api/v1/namespaces/ns/configmaps/c",
        ]
    );
    assert!(
        calls[0]
            .query
            .contains("labelSelector=x%2Fkind%3Dk%2Cx%2Fowner%3Dp"),
        "{}",
        calls[0].query
    );
    assert_eq!(calls[2].body["preconditions"]["uid"], "uid-a");
}

#[tokio::test]
async fn cluster_scoped_objects_are_reached() {
    let fake = server(None);
    prune_listed::<ClusterRoleBinding>(&fake.client(), None, &labels(), keeps_b)
        .await
        .unwrap();
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    assert_eq!(fake.calls()[2].line(), format!("DELETE {path}/a"));
}

#[tokio::test]
async fn no_labels_select_nothing_instead_of_everything() {
    let fake = server(None);
    let labels = BTreeMap::new();
    let pruned = prune_listed::<ConfigMap>(&fake.client(), None, &labels, |_| false).await;
    assert_eq!(pruned.unwrap_err().kind(), ErrorKind::Internal);
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn a_cache_saves_the_list_and_a_kept_object_costs_nothing() {
    let fake = server(Some("ns"));
    let present: Vec<ObjectMeta> = vec![serde_json::from_value(meta(Some("ns"), "b")).unwrap()];
    let pruned = prune::<ConfigMap>(&fake.client(), present, keeps_b)
        .await
        .unwrap();
    assert!(pruned.is_empty());
    assert!(fake.calls().is_empty());
}
