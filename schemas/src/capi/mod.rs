//! The Cluster API v1beta2 kinds that we write, with only the fields that we write.
//!
//! | module | kind |
//! |---|---|
//! | [`cluster`] | `Cluster` |
//! | [`machine_deployment`] | `MachineDeployment` |
//! | [`machine_health_check`] | `MachineHealthCheck` |
//!
//! Shapes follow the CRDs of Cluster API 1.14. Its CRDs carry no schema defaults for these fields;
//! its admission webhooks fill in the values below. Whoever writes these kinds writes them too,
//! so that what is read back from a server equals the tree, with and without the webhooks:
//!
//! | kind | field | value |
//! |---|---|---|
//! | `Cluster` | | nothing, as long as `spec.topology` is absent |
//! | `MachineDeployment` | label [`CLUSTER_NAME_LABEL`] | `spec.clusterName` |
//! | | `spec.replicas` | 1; with both autoscaler annotations a value between them |
//! | | `spec.rollout.strategy.type` | `RollingUpdate` |
//! | | `spec.rollout.strategy.rollingUpdate` | `maxSurge: 1`, `maxUnavailable: 0` |
//! | | `spec.selector.matchLabels`, when the selector is empty | [`DEPLOYMENT_NAME_LABEL`]: name of the object |
//! | | `spec.selector.matchLabels`, always | [`CLUSTER_NAME_LABEL`]: `spec.clusterName` |
//! | | `spec.template.metadata.labels` | the same labels as in the selector |
//! | | `spec.template.spec.version` | gets a leading `v` |
//! | `MachineHealthCheck` | label [`CLUSTER_NAME_LABEL`] | `spec.clusterName` |
//! | | `spec.checks.nodeStartupTimeoutSeconds` | [`DEFAULT_NODE_STARTUP_TIMEOUT_SECONDS`] |
//!
//! `MachineDeployment` names must be valid label values (63 characters), and `spec.clusterName`
//! must equal `spec.template.spec.clusterName`.

pub mod cluster;
pub mod machine_deployment;
pub mod machine_health_check;
mod object;

pub use cluster::{Cluster, ClusterNetwork, ClusterSpec, NetworkRanges};
pub use machine_deployment::{
    Bootstrap, DeletionOrder, MachineDeletion, MachineDeployment, MachineDeploymentDeletion,
    MachineDeploymentSpec, MachineSpec, MachineTemplate, RollingUpdate, Rollout, RolloutStrategy,
    RolloutType,
};
pub use machine_health_check::{
    HealthChecks, MachineHealthCheck, MachineHealthCheckSpec, Remediation, RemediationTrigger,
    UnhealthyMachineCondition, UnhealthyNodeCondition,
};
pub use object::{CapiKind, CapiObject, ContractReference};

/// API group of the core kinds.
pub const GROUP: &str = "cluster.x-k8s.io";
/// Version that we write.
pub const VERSION: &str = "v1beta2";
/// `apiVersion` of every kind here.
pub const API_VERSION: &str = "cluster.x-k8s.io/v1beta2";

/// Label with the name of the Cluster that an object belongs to.
pub const CLUSTER_NAME_LABEL: &str = "cluster.x-k8s.io/cluster-name";
/// Label with the name of the MachineDeployment that a machine belongs to.
pub const DEPLOYMENT_NAME_LABEL: &str = "cluster.x-k8s.io/deployment-name";
/// Label that limits an object to the controllers started with the same filter.
pub const WATCH_FILTER_LABEL: &str = "cluster.x-k8s.io/watch-filter";
/// Label of control plane machines; the value is empty.
pub const CONTROL_PLANE_LABEL: &str = "cluster.x-k8s.io/control-plane";
/// Annotation that stops reconciliation of an object, whatever its value.
pub const PAUSED_ANNOTATION: &str = "cluster.x-k8s.io/paused";
/// Annotation of infrastructure clusters that something else reconciles.
pub const MANAGED_BY_ANNOTATION: &str = "cluster.x-k8s.io/managed-by";
/// Annotation with the least number of machines that the autoscaler keeps.
pub const AUTOSCALER_MIN_SIZE_ANNOTATION: &str =
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
/// Annotation with the greatest number of machines that the autoscaler makes.
pub const AUTOSCALER_MAX_SIZE_ANNOTATION: &str =
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
/// What the webhook sets where `checks.nodeStartupTimeoutSeconds` is absent.
pub const DEFAULT_NODE_STARTUP_TIMEOUT_SECONDS: i32 = 600;

#[cfg(test)]
mod tests;
