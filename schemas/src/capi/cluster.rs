//! `Cluster`: ties control plane and infrastructure of one cluster together.

use serde::{Deserialize, Serialize};

use super::object::{CapiKind, CapiObject, ContractReference};
use crate::infrastructure::ApiEndpoint;

/// A Cluster API cluster.
pub type Cluster = CapiObject<ClusterSpec>;

/// Spec of a [`Cluster`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClusterSpec {
    /// Networks inside the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_network: Option<ClusterNetwork>,
    /// Where the API server answers. Cluster API takes it from the infrastructure cluster or the
    /// control plane when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane_endpoint: Option<ApiEndpoint>,
    /// The control plane object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane_ref: Option<ContractReference>,
    /// The infrastructure cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure_ref: Option<ContractReference>,
    /// Stops reconciliation of the cluster and of everything that belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

impl CapiKind for ClusterSpec {
    const KIND: &'static str = "Cluster";
    const PLURAL: &'static str = "clusters";
}

/// Networks inside a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClusterNetwork {
    /// Addresses of pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<NetworkRanges>,
    /// Addresses of services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services: Option<NetworkRanges>,
    /// Domain of services; kubeadm takes `cluster.local` when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_domain: Option<String>,
}

/// Address ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkRanges {
    /// Ranges in CIDR notation, at least one, at most one of each IP family.
    pub cidr_blocks: Vec<String>,
}
