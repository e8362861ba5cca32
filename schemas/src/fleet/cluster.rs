//! Kubernetes clusters.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Kubernetes cluster, provisioned by Cluster API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cluster {
    /// Tier, from `tiers`.
    #[schemars(length(min = 1))]
    pub tier: String,
    /// Kubernetes version, for example `v1.34.2` or `v1.34.2+k0s.0`.
    #[schemars(regex(pattern = r"^v[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$"))]
    pub version: String,
    /// Image of the machines, from `images`.
    #[schemars(length(min = 1))]
    pub image: String,
    /// Sites that it may use, in order of preference. Exactly one of `sites` and
    /// `siteSelector`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// Selects sites by their labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_selector: Option<LabelSelector>,
    /// Namespace of its objects. Default: the platform's `fleetNamespace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub namespace: Option<String>,
    /// The control plane.
    pub control_plane: ControlPlane,
    /// What its workers do otherwise than the tier says.
    #[serde(default)]
    pub workers: Workers,
    /// Networks inside the cluster.
    #[serde(default)]
    pub network: ClusterNetwork,
    /// Labels of the `Cluster` object, to select by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Values for templates of your own, as `cluster.values` there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, serde_json::Value>,
    /// Stops all reconciling of the cluster: sets `spec.paused`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// The control plane of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ControlPlane {
    /// Who runs it.
    pub kind: ControlPlaneKind,
    /// Members, instead of the tier's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9))]
    pub replicas: Option<u32>,
    /// Address of the API server. Control planes on virtual machines need one that is stable,
    /// such as a virtual IP or a load balancer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Endpoint>,
}

/// Who runs a control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ControlPlaneKind {
    /// k0smotron, as Pods in the management cluster. Any number of members.
    K0smotron,
    /// k0smotron, as k0s on virtual machines of the cluster's own sites.
    K0s,
    /// kubeadm, on virtual machines of the cluster's own sites.
    Kubeadm,
}

impl ControlPlaneKind {
    /// Whether the members are virtual machines of the cluster's own sites.
    pub fn on_machines(self) -> bool {
        !matches!(self, Self::K0smotron)
    }
}

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Endpoint {
    /// DNS name or address.
    #[schemars(length(min = 1, max = 253))]
    pub host: String,
    /// TCP port. Default: 6443.
    #[serde(default = "default_port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
}

fn default_port() -> u16 {
    6443
}

/// What the workers of a cluster do otherwise than its tier says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workers {
    /// Machine class, instead of the tier's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Worker machines, instead of the tier's number. The tier's promises hold all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10000))]
    pub replicas: Option<u32>,
    /// Lets cluster-autoscaler own the number of workers in each failure domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscaling: Option<Autoscaling>,
    /// Labels of the nodes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// Bounds of cluster-autoscaler in each failure domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Autoscaling {
    /// Fewest workers in a failure domain.
    pub min: u32,
    /// Most workers in a failure domain.
    #[schemars(range(min = 1))]
    pub max: u32,
}

/// Networks inside a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ClusterNetwork {
    /// CIDR blocks of Pods. Default: `10.244.0.0/16`.
    pub pods: Vec<String>,
    /// CIDR blocks of Services. Default: `10.96.0.0/12`.
    pub services: Vec<String>,
    /// DNS domain of Services. Default: `cluster.local`.
    pub domain: String,
}

impl Default for ClusterNetwork {
    fn default() -> Self {
        Self {
            pods: vec!["10.244.0.0/16".to_owned()],
            services: vec!["10.96.0.0/12".to_owned()],
            domain: "cluster.local".to_owned(),
        }
    }
}
