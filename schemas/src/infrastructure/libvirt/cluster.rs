//! `LibvirtCluster`: infrastructure of a Cluster API cluster on libvirt hosts.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::infrastructure::cluster::{InfraClusterSpec, InfraClusterStatus, impl_infra_cluster};

/// Spec of a `LibvirtCluster`, the same as of every backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(transparent)]
#[kube(
    group = "infrastructure.banlieue.io",
    version = "v1alpha1",
    kind = "LibvirtCluster",
    namespaced,
    status = "InfraClusterStatus",
    derive = "PartialEq",
    shortname = "lvc",
    category = "banlieue",
    category = "cluster-api",
    label("cluster.x-k8s.io/v1beta2", "v1alpha1"),
    doc = "Infrastructure of a Cluster API cluster on libvirt hosts.",
    printcolumn(
        name = "Cluster",
        type_ = "string",
        json_path = ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']"
    ),
    printcolumn(
        name = "Provisioned",
        type_ = "boolean",
        json_path = ".status.initialization.provisioned"
    ),
    printcolumn(
        name = "Endpoint",
        type_ = "string",
        json_path = ".spec.controlPlaneEndpoint.host",
        priority = 1
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct LibvirtClusterSpec {
    /// The fields that the cluster kinds of all backends share.
    pub common: InfraClusterSpec,
}

impl_infra_cluster!(LibvirtCluster);
