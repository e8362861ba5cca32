//! Templates of Libvirt machines and clusters.

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LibvirtMachineSpec;
use crate::infrastructure::cluster::InfraClusterSpec;
use crate::infrastructure::template::{
    MachineTemplateStatus, TEMPLATE_WITHOUT_PROVIDER_ID, TEMPLATE_WITHOUT_PROVIDER_ID_MESSAGE,
    TemplateResource,
};

/// Spec of a `LibvirtMachineTemplate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema, CustomResource)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[kube(
    group = "infrastructure.banlieue.io",
    version = "v1alpha1",
    kind = "LibvirtMachineTemplate",
    namespaced,
    status = "MachineTemplateStatus",
    derive = "PartialEq",
    shortname = "lvmt",
    category = "banlieue",
    category = "cluster-api",
    label("cluster.x-k8s.io/v1beta2", "v1alpha1"),
    doc = "What Cluster API makes each LibvirtMachine of a set from.",
    printcolumn(
        name = "Image",
        type_ = "string",
        json_path = ".spec.template.spec.imageRef.name"
    ),
    printcolumn(
        name = "CPUs",
        type_ = "integer",
        json_path = ".spec.template.spec.vcpus"
    ),
    printcolumn(
        name = "MemoryMiB",
        type_ = "integer",
        json_path = ".spec.template.spec.memoryMiB"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct LibvirtMachineTemplateSpec {
    /// The machine that is made. Its spec is immutable: a change is a new template.
    #[x_kube(
        validation = Rule::new(TEMPLATE_WITHOUT_PROVIDER_ID)
            .message(TEMPLATE_WITHOUT_PROVIDER_ID_MESSAGE)
    )]
    pub template: TemplateResource<LibvirtMachineSpec>,
}

/// Spec of a `LibvirtClusterTemplate`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[kube(
    group = "infrastructure.banlieue.io",
    version = "v1alpha1",
    kind = "LibvirtClusterTemplate",
    namespaced,
    derive = "PartialEq",
    shortname = "lvct",
    category = "banlieue",
    category = "cluster-api",
    label("cluster.x-k8s.io/v1beta2", "v1alpha1"),
    doc = "What Cluster API makes the LibvirtCluster of a ClusterClass from.",
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct LibvirtClusterTemplateSpec {
    /// The cluster infrastructure that is made.
    pub template: TemplateResource<InfraClusterSpec>,
}
