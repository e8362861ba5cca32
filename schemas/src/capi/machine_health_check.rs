//! `MachineHealthCheck`: when a machine counts as broken and is replaced.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};

use super::object::{CapiKind, CapiObject};

/// A Cluster API machine health check.
pub type MachineHealthCheck = CapiObject<MachineHealthCheckSpec>;

/// Spec of a [`MachineHealthCheck`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MachineHealthCheckSpec {
    /// Name of the cluster. Immutable.
    pub cluster_name: String,
    /// Machines that are checked. It must not be empty.
    pub selector: LabelSelector,
    /// What makes a machine unhealthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<HealthChecks>,
    /// When unhealthy machines are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remediation: Option<Remediation>,
}

impl CapiKind for MachineHealthCheckSpec {
    const KIND: &'static str = "MachineHealthCheck";
    const PLURAL: &'static str = "machinehealthchecks";
}

/// What makes a machine unhealthy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HealthChecks {
    /// How long a machine may take until its node is there, in seconds. 0 means without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_startup_timeout_seconds: Option<i32>,
    /// Conditions of the node; any one is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unhealthy_node_conditions: Vec<UnhealthyNodeCondition>,
    /// Conditions of the machine; any one is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unhealthy_machine_conditions: Vec<UnhealthyMachineCondition>,
}

/// A node condition that makes its machine unhealthy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnhealthyNodeCondition {
    /// Type, for example `Ready`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Status: `True`, `False` or `Unknown`.
    pub status: String,
    /// How long the condition must hold, in seconds.
    pub timeout_seconds: i32,
}

/// A machine condition that makes the machine unhealthy. `Ready`, `Available` and the conditions
/// of remediation itself are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnhealthyMachineCondition {
    /// Type of the condition.
    #[serde(rename = "type")]
    pub kind: String,
    /// Status: `True`, `False` or `Unknown`.
    pub status: String,
    /// How long the condition must hold, in seconds.
    pub timeout_seconds: i32,
}

/// When unhealthy machines are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Remediation {
    /// Limits; without them every unhealthy machine is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_if: Option<RemediationTrigger>,
}

/// Limits outside of which nothing is replaced. The range wins where both are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemediationTrigger {
    /// At most so many unhealthy machines, as a number or a percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unhealthy_less_than_or_equal_to: Option<IntOrString>,
    /// A range of unhealthy machines, for example `[1-3]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unhealthy_in_range: Option<String>,
}
