//! What was found on a backend, and the process that serves it.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{Condition, StringMap};
use crate::platform::DeploymentMode;

/// What was found on a backend.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::for_api_server)]
pub struct ProviderStatus {
    /// The generation of the spec that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Where virtual machines can run. Written by the provider process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub failure_domains: Vec<FailureDomain>,
    /// The provider process of this Provider. Written by the operator, and nothing else is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadStatus>,
    /// Conditions, among them Ready and ProviderReachable. Written by the provider process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

/// A part of a backend that fails on its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureDomain {
    /// Name, unique in the Provider.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// The Provider's own labels, and `datacenter`, `cluster` and `name`. Selectors match these.
    pub labels: StringMap,
    /// What the scheduler may count on.
    pub attributes: FailureDomainAttributes,
}

/// What a failure domain offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureDomainAttributes {
    /// Storage classes that exist here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub available_storage_classes: Vec<String>,
    /// Network classes that exist here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub available_network_classes: Vec<String>,
    /// Features that machines here can have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub features: Vec<String>,
    /// What is free, rounded down to coarse steps so that it seldom changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_capacity: Option<FreeCapacity>,
    /// What the backend itself calls things: `datacenter`, `cluster`, `resourcePool` and so on.
    #[serde(default, skip_serializing_if = "StringMap::is_empty")]
    pub raw: StringMap,
}

/// What is free in a failure domain. A value that the backend does not tell is unset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct FreeCapacity {
    /// Virtual CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Memory in MiB.
    #[serde(default, rename = "memoryMiB", skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// Space of each storage class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["storageClass".into()]))]
    pub storage: Vec<FreeStorage>,
}

/// Free space of one storage class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FreeStorage {
    /// Name of the storage class.
    pub storage_class: String,
    /// Free space in GiB.
    #[serde(rename = "sizeGiB")]
    pub size_gib: u64,
}

/// The process that serves a Provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadStatus {
    /// Who runs the process: Managed means the operator, External means somebody else.
    pub mode: DeploymentMode,
    /// Namespace of the process and of its identity.
    pub namespace: String,
    /// Name of the Deployment. Unset when the process is External.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deployment_name: Option<String>,
    /// Image of the process. With it a process can be started that is still needed for deletion
    /// when the class is gone. Unset when the process is External.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Replicas that are ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_replicas: Option<i32>,
    /// The generation of the Provider that the workload was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}
