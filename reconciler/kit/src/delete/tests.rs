#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use serde_json::json;

use super::*;
use crate::fake::{Answer, Fake, config_map};

async fn deleted(fake: &Fake, meta: &ObjectMeta, when: Precondition) -> Result<Deleted, ApiError> {
    delete::<ConfigMap>(&fake.client(), meta, when).await
}

fn success() -> Fake {
    Fake::new(|_| Answer::ok(json!({"kind": "Status", "apiVersion": "v1", "status": "Success"})))
}

#[tokio::test]
async fn only_the_object_that_was_read_is_deleted() {
    let meta = config_map("a").meta().clone();
    let table = [
        (Precondition::SameObject, json!({"uid": "uid-a"})),
        (
            Precondition::Unchanged,
            json!({"uid": "uid-a", "resourceVersion": "7"}),
        ),
    ];
    for (when, preconditions) in table {
        let fake = success();
        let deleted = deleted(&fake, &meta, when).await.unwrap();
        assert_eq!(deleted, Deleted::Requested);
        let call = fake.call();
        assert_eq!(call.line(), "DELETE /api/v1/namespaces/ns/configmaps/a");
        assert_eq!(call.body["preconditions"], preconditions);
        assert_eq!(call.body["propagationPolicy"], "Background");
    }
}

#[tokio::test]
async fn an_answer_with_an_object_that_does_not_parse_is_an_answer() {
    let fake = Fake::new(|_| {
        Answer::ok(json!({"kind": "ConfigMap", "metadata": {"name": "a"}, "data": 1}))
    });
    let meta = config_map("a").meta().clone();
    let deleted = deleted(&fake, &meta, Precondition::SameObject)
        .await
        .unwrap();
    assert_eq!(deleted, Deleted::Requested);
}

#[tokio::test]
async fn what_is_gone_or_going_is_data() {
    let mut meta = config_map("a").meta().clone();
    let fake = Fake::refusing(404, "NotFound");
    let gone = deleted(&fake, &meta, Precondition::SameObject)
        .await
        .unwrap();
    assert_eq!(gone, Deleted::Gone);

    meta.deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
    let fake = success();
    let going = deleted(&fake, &meta, Precondition::SameObject)
        .await
        .unwrap();
    assert_eq!(going, Deleted::Terminating);
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn another_object_of_the_name_is_a_conflict() {
    let fake = Fake::refusing(409, "Conflict");
    let meta = config_map("a").meta().clone();
    let error = deleted(&fake, &meta, Precondition::SameObject)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
}

#[tokio::test]
async fn an_object_that_was_never_read_is_not_deleted() {
    let fake = success();
    let meta = ObjectMeta {
        name: Some("a".to_owned()),
        ..ObjectMeta::default()
    };
    let error = deleted(&fake, &meta, Precondition::SameObject)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(fake.calls().is_empty());
}
