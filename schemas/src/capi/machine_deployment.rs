//! `MachineDeployment`: a set of equal worker machines, and how they are replaced.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};

use super::object::{CapiKind, CapiObject, ContractReference};
use crate::infrastructure::TemplateMetadata;

/// A Cluster API machine deployment.
pub type MachineDeployment = CapiObject<MachineDeploymentSpec>;

/// Spec of a [`MachineDeployment`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineDeploymentSpec {
    /// Name of the cluster. Immutable.
    pub cluster_name: String,
    /// Number of machines. Absent where the autoscaler owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// How machines are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Rollout>,
    /// Which machines belong to the set. It must match the template's labels.
    pub selector: LabelSelector,
    /// The machines.
    pub template: MachineTemplate,
    /// Which machines go first when the set shrinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion: Option<MachineDeploymentDeletion>,
    /// Stops reconciliation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

impl CapiKind for MachineDeploymentSpec {
    const KIND: &'static str = "MachineDeployment";
    const PLURAL: &'static str = "machinedeployments";
}

/// How machines are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rollout {
    /// The strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<RolloutStrategy>,
}

/// Strategy of a rollout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RolloutStrategy {
    /// Kind of the strategy.
    #[serde(rename = "type")]
    pub kind: RolloutType,
    /// Limits of a rolling update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling_update: Option<RollingUpdate>,
}

/// Kind of a rollout strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RolloutType {
    /// Machines are replaced step by step.
    #[default]
    RollingUpdate,
    /// A machine is replaced when somebody deletes it.
    OnDelete,
}

/// Limits of a rolling update, as a number or a percentage. Both cannot be 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RollingUpdate {
    /// How many machines more than `replicas` may exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<IntOrString>,
    /// How many machines fewer than `replicas` may be available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<IntOrString>,
}

/// Which machines go first when a set shrinks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineDeploymentDeletion {
    /// The order; `Random` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<DeletionOrder>,
}

/// Order in which machines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeletionOrder {
    /// No order.
    Random,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

/// The machines of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineTemplate {
    /// Labels and annotations of the machines.
    #[serde(default, skip_serializing_if = "TemplateMetadata::is_empty")]
    pub metadata: TemplateMetadata,
    /// Spec of the machines.
    pub spec: MachineSpec,
}

/// Spec of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineSpec {
    /// Name of the cluster.
    pub cluster_name: String,
    /// Kubernetes version, with a leading `v`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Failure domain of the infrastructure cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_domain: Option<String>,
    /// Where bootstrap data comes from.
    pub bootstrap: Bootstrap,
    /// The infrastructure machine template.
    pub infrastructure_ref: ContractReference,
    /// How long the steps of a deletion may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion: Option<MachineDeletion>,
}

/// Where bootstrap data comes from. At least one field is set; Cluster API sets the second from
/// the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bootstrap {
    /// A bootstrap config template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_ref: Option<ContractReference>,
    /// A Secret that holds the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_secret_name: Option<String>,
}

/// How long the steps of a deletion may take, in seconds. 0 means without end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineDeletion {
    /// Draining the node; without end when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_drain_timeout_seconds: Option<i32>,
    /// Detaching volumes; without end when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_volume_detach_timeout_seconds: Option<i32>,
    /// Deleting the node object; 10 seconds when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_deletion_timeout_seconds: Option<i32>,
}
