#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::api::core::v1::{ConfigMap, Service};
use serde_json::{Value, json};

use super::*;
use crate::fake::{Answer, Fake};

fn config_map(value: &Value) -> ConfigMap {
    serde_json::from_value(value.clone()).unwrap()
}

fn intent() -> ConfigMap {
    config_map(&json!({
        "metadata": {"name": "a", "namespace": "ns", "labels": {"l": "1"}},
        "data": {"a": "b"},
    }))
}

/// The intent as stored after an apply by the operator.
fn stored(version: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "a", "namespace": "ns", "labels": {"l": "1"},
            "uid": "u", "resourceVersion": version, "creationTimestamp": "2026-01-01T00:00:00Z",
            "managedFields": [{
                "manager": "banlieue.io/operator", "operation": "Apply", "apiVersion": "v1",
                "fieldsType": "FieldsV1", "time": "2026-01-01T00:00:00Z",
                "fieldsV1": {"f:data": {"f:a": {}}, "f:metadata": {"f:labels": {"f:l": {}}}},
            }],
        },
        "data": {"a": "b"},
    })
}

fn server(version: &'static str) -> Fake {
    Fake::new(move |_| Answer::ok(stored(version)))
}

async fn applied(fake: &Fake, intent: &ConfigMap, live: Option<&Value>) -> Applied<ConfigMap> {
    let live = live.map(|live| Arc::new(config_map(live)));
    let applied = apply(&fake.client(), &Manager::Operator, intent, live.as_ref()).await;
    applied.unwrap()
}

#[tokio::test]
async fn an_intent_is_applied_by_force_under_the_managers_name() {
    let fake = server("7");
    assert!(applied(&fake, &intent(), None).await.changed());
    let call = fake.call();
    assert_eq!(call.line(), "PATCH /api/v1/namespaces/ns/configmaps/a");
    assert_eq!(call.content_type, "application/apply-patch+yaml");
    assert!(call.query.contains("force=true"), "{}", call.query);
    let manager = "fieldManager=banlieue.io%2Foperator";
    assert!(call.query.contains(manager), "{}", call.query);
    assert_eq!(
        call.body,
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "ns", "labels": {"l": "1"}},
            "data": {"a": "b"},
        })
    );
}

#[tokio::test]
async fn what_the_api_server_writes_is_not_sent() {
    let fake = Fake::echo();
    let service: Service = serde_json::from_value(json!({
        "metadata": {"name": "s", "namespace": "ns", "creationTimestamp": "2026-01-01T00:00:00Z",
            "generation": 3, "managedFields": [{"manager": "m"}], "uid": "old"},
        "spec": {"type": "ClusterIP"},
        "status": {"loadBalancer": {}},
    }))
    .unwrap();
    apply(&fake.client(), &Manager::Operator, &service, None)
        .await
        .unwrap();
    let body = fake.call().body;
    assert_eq!(body["metadata"], json!({"name": "s", "namespace": "ns"}));
    assert!(body.get("status").is_none());
}

#[tokio::test]
async fn an_object_that_is_as_applied_costs_no_request() {
    let fake = server("7");
    assert!(
        !applied(&fake, &intent(), Some(&stored("7")))
            .await
            .changed()
    );
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn a_request_that_changed_nothing_is_reported_so_and_names_the_object() {
    let mut live = stored("7");
    live["metadata"]["managedFields"] = json!([]);
    let fake = server("7");
    assert!(!applied(&fake, &intent(), Some(&live)).await.changed());
    assert_eq!(fake.call().body["metadata"]["uid"], "u");

    let fake = server("8");
    assert!(applied(&fake, &intent(), Some(&live)).await.changed());
}

#[tokio::test]
async fn an_object_that_was_deleted_meanwhile_is_a_conflict() {
    let fake = Fake::refusing(409, "Conflict");
    let mut live = stored("7");
    live["data"]["a"] = "changed".into();
    let live = Arc::new(config_map(&live));
    let error = apply(&fake.client(), &Manager::Operator, &intent(), Some(&live)).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Conflict);
}
