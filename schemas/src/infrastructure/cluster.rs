//! What the cluster kinds of all backends share: one spec and one status.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::{InitializationStatus, PROVISIONED_ONE_WAY, PROVISIONED_ONE_WAY_MESSAGE};
use crate::common::{Condition, LabelSelector, LocalObjectReference, StringMap};

/// Host and port of an API server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiEndpoint {
    /// DNS name or IP address.
    #[schemars(length(min = 1, max = 512))]
    pub host: String,
    /// TCP port.
    #[schemars(range(min = 1, max = 65535))]
    pub port: i32,
}

/// Which Providers carry the cluster, and where its control plane may run and answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct InfraClusterSpec {
    /// Where the API server of the cluster answers. Absent until the control plane provider or a
    /// person knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane_endpoint: Option<ApiEndpoint>,
    /// Providers of this backend, by name, in the cluster's namespace. When set,
    /// `providerSelector` is not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub provider_refs: Vec<LocalObjectReference>,
    /// Chooses Providers of this backend by their labels. With neither this nor `providerRefs`
    /// every Provider of this backend in the namespace carries the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_selector: Option<LabelSelector>,
    /// Failure domains in which control plane machines may run, by the labels that the Provider
    /// shows for each. Absent means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane_failure_domain_selector: Option<LabelSelector>,
    /// Stops reconciliation of this object.
    #[serde(default)]
    pub paused: bool,
}

/// What the controller knows of a cluster's infrastructure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(PROVISIONED_ONE_WAY).message(PROVISIONED_ONE_WAY_MESSAGE))]
#[schemars(transform = crate::schema::for_api_server)]
pub struct InfraClusterStatus {
    /// Where the first provisioning stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialization: Option<InitializationStatus>,
    /// The endpoint in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane_endpoint: Option<ApiEndpoint>,
    /// Failure domains that machines of the cluster may name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub failure_domains: Vec<ClusterFailureDomain>,
    /// Conditions, one of each type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// A failure domain as Cluster API reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterFailureDomain {
    /// Name, unique in the cluster.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Whether control plane machines may run here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane: Option<bool>,
    /// What the Provider says of the failure domain, for readers.
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub attributes: StringMap,
}

/// The common view of a cluster, for code that must not care about the backend.
pub trait InfraCluster {
    /// The shared spec.
    fn spec(&self) -> &InfraClusterSpec;
    /// The shared status, if one was written.
    fn status(&self) -> Option<&InfraClusterStatus>;
}

/// Implements [`InfraCluster`] for a kind.
macro_rules! impl_infra_cluster {
    ($kind:ty) => {
        impl $crate::infrastructure::InfraCluster for $kind {
            fn spec(&self) -> &$crate::infrastructure::InfraClusterSpec {
                &self.spec.common
            }
            fn status(&self) -> Option<&$crate::infrastructure::InfraClusterStatus> {
                self.status.as_ref()
            }
        }
    };
}
pub(super) use impl_infra_cluster;
