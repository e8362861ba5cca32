//! The Cluster of Cluster API that an infrastructure cluster belongs to.

use banlieue_kit::cache::Cache;
use banlieue_schemas::capi;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource;
use serde::{Deserialize, Serialize};

/// What is read of a Cluster, whatever else is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Resource)]
#[resource(inherit = capi::Cluster)]
pub struct Owner {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// Spec.
    #[serde(default)]
    pub spec: OwnerSpec,
}

/// What is read of a Cluster's spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerSpec {
    /// Stops reconciliation of the cluster and of everything that belongs to it.
    #[serde(default)]
    pub paused: Option<bool>,
}

/// Whether the annotation or the owner pauses the cluster.
pub(super) fn is_paused(owners: &Cache<Owner>, cluster: &ObjectMeta) -> bool {
    let owner = references(cluster).find_map(|reference| {
        let owner = owners.get(cluster.namespace.as_deref(), &reference.name)?;
        (owner.metadata.uid.as_deref() == Some(&*reference.uid)).then_some(owner)
    });
    is_annotated(cluster, capi::PAUSED_ANNOTATION)
        || owner.is_some_and(|owner| owner.spec.paused == Some(true))
}

/// Whether something else reconciles the cluster.
pub(super) fn is_managed_elsewhere(cluster: &ObjectMeta) -> bool {
    is_annotated(cluster, capi::MANAGED_BY_ANNOTATION)
}

/// Whether the Cluster owns the infrastructure cluster.
pub(super) fn is_of(cluster: &ObjectMeta, owner: &ObjectMeta) -> bool {
    let uid = owner.uid.as_deref();
    references(cluster).any(|reference| Some(&*reference.uid) == uid)
}

fn is_annotated(meta: &ObjectMeta, annotation: &str) -> bool {
    let annotations = meta.annotations.as_ref();
    annotations.is_some_and(|annotations| annotations.contains_key(annotation))
}

fn references(cluster: &ObjectMeta) -> impl Iterator<Item = &OwnerReference> {
    let group = |reference: &&OwnerReference| {
        let group = reference.api_version.split('/').next();
        group == Some(capi::GROUP) && reference.kind == "Cluster"
    };
    cluster.owner_references.iter().flatten().filter(group)
}
