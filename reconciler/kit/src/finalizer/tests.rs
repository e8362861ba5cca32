#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;

use super::*;
use crate::fake::{Answer, Fake, config_map};

const OURS: &str = "banlieue.io/ours";

fn object(finalizers: &[&str]) -> ObjectMeta {
    let mut meta = config_map("a").meta().clone();
    meta.finalizers = Some(finalizers.iter().map(|&name| name.to_owned()).collect());
    meta
}

fn server() -> Fake {
    Fake::new(|_| Answer::ok(serde_json::to_value(config_map("a")).unwrap()))
}

async fn added(fake: &Fake, meta: &ObjectMeta) -> Result<Added<ConfigMap>, ApiError> {
    add(&fake.client(), &Manager::Controller, meta, OURS).await
}

async fn removed(fake: &Fake, meta: &ObjectMeta) -> Result<Removed, ApiError> {
    remove::<ConfigMap>(&fake.client(), &Manager::Controller, meta, OURS).await
}

#[tokio::test]
async fn the_first_finalizer_holds_only_if_there_is_none() {
    let fake = server();
    let added = added(&fake, config_map("a").meta()).await.unwrap();
    assert!(matches!(added, Added::Added(_)));
    let call = fake.call();
    assert_eq!(call.line(), "PATCH /api/v1/namespaces/ns/configmaps/a");
    assert_eq!(call.content_type, "application/json-patch+json");
    assert!(
        call.query.contains("fieldManager=banlieue.io%2Fcontroller"),
        "{}",
        call.query
    );
    assert_eq!(
        call.body,
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "uid-a"},
            {"op": "test", "path": "/metadata/finalizers", "value": null},
            {"op": "add", "path": "/metadata/finalizers", "value": [OURS]},
        ])
    );
}

#[tokio::test]
async fn a_further_finalizer_holds_only_for_the_list_that_was_read() {
    let fake = server();
    added(&fake, &object(&["x/y"])).await.unwrap();
    assert_eq!(
        fake.call().body,
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "uid-a"},
            {"op": "test", "path": "/metadata/finalizers", "value": ["x/y"]},
            {"op": "add", "path": "/metadata/finalizers/-", "value": OURS},
        ])
    );
}

#[tokio::test]
async fn removal_takes_out_ours_and_nothing_else() {
    let fake = server();
    let removed = removed(&fake, &object(&["x/y", OURS, "z"])).await.unwrap();
    assert_eq!(removed, Removed::Removed);
    assert_eq!(
        fake.call().body,
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "uid-a"},
            {"op": "test", "path": "/metadata/finalizers/1", "value": OURS},
            {"op": "remove", "path": "/metadata/finalizers/1"},
        ])
    );
}

#[tokio::test]
async fn nothing_is_sent_where_nothing_is_to_do() {
    let fake = server();
    let mut dying = object(&[]);
    dying.deletion_timestamp = serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap();
    assert!(matches!(
        added(&fake, &object(&[OURS])).await.unwrap(),
        Added::Present
    ));
    assert!(matches!(
        added(&fake, &dying).await.unwrap(),
        Added::Terminating
    ));
    assert_eq!(
        removed(&fake, &object(&["x/y"])).await.unwrap(),
        Removed::Absent
    );
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn a_failed_test_is_a_conflict_and_a_broken_object_is_invalid() {
    let fake = Fake::refusing(422, "Invalid");
    let error = added(&fake, &object(&["x/y"])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    let error = removed(&fake, &object(&[OURS])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);

    let fake = Fake::new(|_| {
        let causes = json!([{"reason": "FieldValueInvalid", "field": "spec.x", "message": "bad"}]);
        let mut body =
            json!({"kind": "Status", "status": "Failure", "code": 422, "reason": "Invalid"});
        body["details"] = json!({"causes": causes});
        Answer::Json(422, body)
    });
    let error = added(&fake, &object(&["x/y"])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn an_object_that_is_gone_has_no_finalizer() {
    let fake = Fake::refusing(404, "NotFound");
    assert_eq!(
        removed(&fake, &object(&[OURS])).await.unwrap(),
        Removed::Absent
    );
}
