//! Annotations by which people ask for something once, and which are taken away after that.

use std::sync::Arc;

use banlieue_schemas::managers::Manager;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use serde_json::json;

use crate::api;
use crate::apply::parsed;
use crate::errors::ApiError;
use crate::guard::Kind;
use crate::patch::{failed, remove, same_object, send, test};

/// Takes an annotation away from the object with this metadata, as last read, and answers the
/// object without it; `None` if it was not there, and nothing was sent.
///
/// An annotation that got another value meanwhile stays: the answer is then a conflict.
pub async fn clear<K: Kind>(
    client: &Client,
    manager: &Manager,
    meta: &ObjectMeta,
    annotation: &str,
) -> Result<Option<Arc<K>>, ApiError> {
    const ACTION: &str = "clear an annotation of";
    let annotations = meta.annotations.as_ref();
    let Some(value) = annotations.and_then(|all| all.get(annotation)) else {
        return Ok(None);
    };
    let path = ["metadata", "annotations", annotation];
    let operations = vec![same_object(meta), test(path, json!(value)), remove(path)];
    let object = api::describe::<K>(meta);
    let answer = send::<K>(client, manager, meta, operations)
        .await
        .map_err(|error| failed(ACTION, &object, error))?;
    parsed(answer, ACTION, &object).map(Some)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::errors::ErrorKind;
    use crate::fake::{Answer, Fake, config_map};

    fn annotated() -> ObjectMeta {
        let mut meta = config_map("a").metadata;
        let annotation = ("example.org/go".to_owned(), "true".to_owned());
        meta.annotations = Some([annotation].into());
        meta
    }

    async fn cleared(fake: &Fake, meta: &ObjectMeta) -> Result<bool, ApiError> {
        let manager = Manager::Controller;
        let answer = clear::<ConfigMap>(&fake.client(), &manager, meta, "example.org/go").await?;
        Ok(answer.is_some())
    }

    #[tokio::test]
    async fn only_what_was_read_is_cleared() {
        let fake = Fake::new(|_| Answer::ok(serde_json::to_value(config_map("a")).unwrap()));
        assert!(cleared(&fake, &annotated()).await.unwrap());
        let path = "/metadata/annotations/example.org~1go";
        assert_eq!(
            fake.call().body,
            json!([
                {"op": "test", "path": "/metadata/uid", "value": "uid-a"},
                {"op": "test", "path": path, "value": "true"},
                {"op": "remove", "path": path},
            ])
        );
    }

    #[tokio::test]
    async fn an_annotation_that_is_not_there_costs_nothing() {
        let fake = Fake::echo();
        assert!(!cleared(&fake, &config_map("a").metadata).await.unwrap());
        assert!(fake.calls().is_empty());
    }

    #[tokio::test]
    async fn an_annotation_that_changed_meanwhile_is_a_conflict() {
        let fake = Fake::refusing(422, "Invalid");
        let error = cleared(&fake, &annotated()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
    }
}
