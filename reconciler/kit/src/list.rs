//! Who carries which labels, past every cache.
//!
//! For decisions that cannot be taken back, such as that nothing is left which needs something:
//! a cache may not have heard yet of what was made a moment ago.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::ListParams;

use crate::api;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::Kind;

const ACTION: &str = "list";
/// Objects to a page.
const PAGE: u32 = 500;

/// Metadata of the objects that carry `labels`, in one namespace, or with `None` cluster-scoped
/// objects and those of all namespaces.
///
/// Refuses empty labels: they would select every object there is.
pub async fn metadata<K: Kind>(
    client: &Client,
    namespace: Option<&str>,
    labels: &BTreeMap<String, String>,
) -> Result<Vec<ObjectMeta>, ApiError> {
    let kind = K::plural(&());
    let objects = api::objects::<K>(client, namespace);
    let mut params = by_labels::<K>(labels)?.limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = objects.list_metadata(&params).await;
        let page = page.map_err(|error| ApiError::new(ACTION, &kind, error))?;
        found.extend(page.items.into_iter().map(|object| object.metadata));
        match page.metadata.continue_ {
            Some(token) if !token.is_empty() => params.continue_token = Some(token),
            _ => return Ok(found),
        }
    }
}

/// Metadata of some object that carries `labels`, as [`metadata`] would give it. A kind that the
/// API server does not know has no objects.
pub async fn any<K: Kind>(
    client: &Client,
    namespace: Option<&str>,
    labels: &BTreeMap<String, String>,
) -> Result<Option<ObjectMeta>, ApiError> {
    let params = by_labels::<K>(labels)?.limit(1);
    let objects = api::objects::<K>(client, namespace);
    match objects.list_metadata(&params).await {
        Ok(page) => Ok(page.items.into_iter().next().map(|object| object.metadata)),
        Err(error) if ErrorKind::from(&error) == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ApiError::new(ACTION, K::plural(&()), error)),
    }
}

fn by_labels<K: Kind>(labels: &BTreeMap<String, String>) -> Result<ListParams, ApiError> {
    if labels.is_empty() {
        let (kind, reason) = (K::plural(&()), "no labels to select by");
        return Err(ApiError::other(ACTION, kind, ErrorKind::Internal, reason));
    }
    let selector: Vec<_> = labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    Ok(ListParams::default().labels(&selector.join(",")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::fake::{Answer, Fake};

    fn page(items: &Value, token: &str) -> Answer {
        Answer::ok(json!({
            "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
            "metadata": {"continue": token}, "items": items,
        }))
    }

    #[tokio::test]
    async fn one_is_enough_to_know_that_there_is_any() {
        let labels = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        let any = async |fake: &Fake| any::<ConfigMap>(&fake.client(), Some("ns"), &labels).await;
        let some = Fake::new(|_| page(&json!([{"metadata": {"name": "x"}}]), "more"));
        let found = any(&some).await.unwrap().unwrap();
        assert_eq!(found.name.as_deref(), Some("x"));
        let call = some.call();
        assert_eq!(call.line(), "GET /api/v1/namespaces/ns/configmaps");
        assert!(call.query.contains("limit=1") && call.query.contains("labelSelector=a%3Db"));
        assert!(call.accept.contains("as=PartialObjectMetadataList"));

        let none = Fake::new(|_| page(&json!([]), ""));
        assert!(any(&none).await.unwrap().is_none());
        let unknown = Fake::refusing(404, "NotFound");
        assert!(any(&unknown).await.unwrap().is_none());
        let forbidden = Fake::refusing(403, "Forbidden");
        assert!(any(&forbidden).await.is_err());
    }
}
