//! How many control-plane members a cluster gets, and where.

use banlieue_schemas::fleet::{Cluster, ControlPlaneKind, Tier};
use serde::Serialize;

use super::domains::Domain;

/// The control plane of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlPlanePlan {
    /// Who runs it.
    pub kind: ControlPlaneKind,
    /// Members.
    pub replicas: u32,
    /// Failure domains that may hold a member, in order of preference. Empty when the members
    /// are Pods of the management cluster.
    pub domains: Vec<String>,
    /// Why the number differs from the one asked for, or why an even one is sound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl ControlPlanePlan {
    /// Members that must be up for the control plane to work. None when it does not run on the
    /// cluster's own sites.
    pub fn quorum(&self) -> Option<u32> {
        self.kind.on_machines().then_some(self.replicas / 2 + 1)
    }

    /// The most members that a loss of these domains can take, whichever of the balanced
    /// placements Cluster API chose.
    pub fn worst_loss(&self, lost: &[&str]) -> u32 {
        let all = u32::try_from(self.domains.len()).unwrap_or(u32::MAX);
        let hit = self
            .domains
            .iter()
            .filter(|d| lost.contains(&d.as_str()))
            .count();
        let hit = u32::try_from(hit).unwrap_or(u32::MAX);
        if all == 0 {
            return 0;
        }
        let (share, extra) = (self.replicas / all, self.replicas % all);
        hit * share + hit.min(extra)
    }
}

/// Decides number and place of the members.
///
/// On virtual machines etcd runs beside each member, and an even number only adds a member that
/// can fail: it becomes the next lower odd one. With at least as many domains as members, exactly
/// that many are eligible, one member each, so that Cluster API's placement is known beforehand.
pub fn plan(cluster: &Cluster, tier: &Tier, domains: &[Domain]) -> ControlPlanePlan {
    let kind = cluster.control_plane.kind;
    let asked = cluster
        .control_plane
        .replicas
        .unwrap_or(tier.control_plane.replicas);
    if !kind.on_machines() {
        let note = asked.is_multiple_of(2).then(|| {
            format!(
                "{asked} members are sound: they are Pods of the management cluster and \
                 k0smotron keeps their store at an odd size of its own"
            )
        });
        return ControlPlanePlan {
            kind,
            replicas: asked,
            domains: Vec::new(),
            note,
        };
    }
    let replicas = if asked.is_multiple_of(2) {
        asked - 1
    } else {
        asked
    };
    let note = (replicas != asked).then(|| {
        format!(
            "{replicas} instead of {asked}: etcd beside each member needs an odd number, and \
             {asked} survive no more losses than {replicas}"
        )
    });
    let eligible = domains
        .iter()
        .filter(|d| d.control_plane)
        .map(|d| d.name.clone());
    let domains = eligible.take(replicas as usize).collect();
    ControlPlanePlan {
        kind,
        replicas,
        domains,
        note,
    }
}
