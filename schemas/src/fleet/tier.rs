//! How much redundancy a cluster gets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much redundancy a cluster gets: worker replicas over failure domains, and what that
/// promises to survive. `plan` proves the promise for each cluster, `check` refuses a tier whose
/// promise the cluster's sites cannot keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tier {
    /// For people; shown in the topology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Worker machines of a cluster.
    #[schemars(range(min = 1, max = 10000))]
    pub replicas: u32,
    /// Failure domains that they are spread over. Counts differ by at most one.
    #[schemars(range(min = 1, max = 1000))]
    pub failure_domains: u32,
    /// The control plane.
    pub control_plane: TierControlPlane,
    /// Machine class of the workers, from `classes`.
    #[schemars(length(min = 1))]
    pub class: String,
    /// Whether the machines' resources are guaranteed. Default: `guaranteed`.
    #[serde(default)]
    pub resources: Resources,
    /// Workers that must be left after a loss for the cluster to count as alive. Default: half
    /// of the replicas, rounded down, at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub min_available: Option<u32>,
    /// Losses that a cluster of this tier survives: enough workers left, and the control
    /// plane's quorum kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub survives: Vec<Promise>,
}

impl Tier {
    /// Workers that must be left after a loss.
    pub fn workers_needed(&self) -> u32 {
        self.min_available.unwrap_or((self.replicas / 2).max(1))
    }
}

/// The control plane of a tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TierControlPlane {
    /// Members. On virtual machines an even number becomes the next lower odd one, since etcd
    /// gains nothing from an even number; a hosted control plane takes it as it is.
    #[schemars(range(min = 1, max = 9))]
    pub replicas: u32,
    /// Machine class of control planes on virtual machines. Default: the tier's class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

/// Whether the resources of machines are guaranteed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Resources {
    /// Machines get what their class says.
    #[default]
    Guaranteed,
    /// Machines are labelled `banlieue.io/resources: best-effort` and are the first to wait
    /// when a zone is full.
    BestEffort,
}

/// A loss that a tier promises to survive.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Promise {
    /// Any one failure domain.
    FailureDomain,
    /// Any one site, with all of its failure domains.
    Site,
}
