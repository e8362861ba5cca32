//! Removal of what a plan no longer holds, among the objects that carry its labels.
//!
//! It reaches what no owner reference can: cluster-scoped objects of a namespaced owner, and
//! objects whose name is no longer known.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::ListParams;

use crate::api;
use crate::delete::{Deleted, Precondition, delete};
use crate::errors::{ApiError, ErrorKind};
use crate::guard::Kind;

/// Objects to a page of a list.
const PAGE: u32 = 500;

/// Deletes those of `present` that `keep` does not keep, and answers which it asked to go.
///
/// `present` comes from a cache. What is terminating or gone is passed over.
pub async fn prune<K: Kind>(
    client: &Client,
    present: impl IntoIterator<Item = ObjectMeta>,
    keep: impl Fn(&ObjectMeta) -> bool,
) -> Result<Vec<ObjectMeta>, ApiError> {
    let mut pruned = Vec::new();
    for meta in present.into_iter().filter(|meta| !keep(meta)) {
        match delete::<K>(client, &meta, Precondition::SameObject).await? {
            Deleted::Requested => pruned.push(meta),
            Deleted::Terminating | Deleted::Gone => {}
        }
    }
    Ok(pruned)
}

/// As [`prune`], for a kind that is not watched: lists the metadata of what carries `labels`, in
/// one namespace, or with `None` cluster-scoped objects and those of all namespaces.
///
/// Refuses empty labels: they would select every object there is.
pub async fn prune_listed<K: Kind>(
    client: &Client,
    namespace: Option<&str>,
    labels: &BTreeMap<String, String>,
    keep: impl Fn(&ObjectMeta) -> bool,
) -> Result<Vec<ObjectMeta>, ApiError> {
    let present = list::<K>(client, namespace, labels).await?;
    prune::<K>(client, present, keep).await
}

async fn list<K: Kind>(
    client: &Client,
    namespace: Option<&str>,
    labels: &BTreeMap<String, String>,
) -> Result<Vec<ObjectMeta>, ApiError> {
    const ACTION: &str = "list";
    let kind = K::plural(&());
    if labels.is_empty() {
        let reason = "no labels to select by";
        return Err(ApiError::other(ACTION, kind, ErrorKind::Internal, reason));
    }
    let selector: Vec<_> = labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let mut params = ListParams::default()
        .labels(&selector.join(","))
        .limit(PAGE);
    let objects = api::objects::<K>(client, namespace);
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

#[cfg(test)]
mod tests;
