//! Removal of what a plan no longer holds, among the objects that carry its labels.
//!
//! It reaches what no owner reference can: cluster-scoped objects of a namespaced owner, and
//! objects whose name is no longer known.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;

use crate::delete::{Deleted, Precondition, delete};
use crate::errors::ApiError;
use crate::guard::Kind;
use crate::list::metadata;

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
    let present = metadata::<K>(client, namespace, labels).await?;
    prune::<K>(client, present, keep).await
}

#[cfg(test)]
mod tests;
