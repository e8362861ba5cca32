//! What is left of a cluster after the loss of a failure domain or a site.

use std::collections::BTreeSet;

use banlieue_schemas::fleet::{Promise, Tier};
use serde::Serialize;

use super::{clusters::DomainPlan, control_plane::ControlPlanePlan};

/// Whether a cluster survives every loss of one kind, shown by the worst of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The kind of loss.
    pub loss: Promise,
    /// Whether the tier promises to survive it.
    pub promised: bool,
    /// Whether the cluster does.
    pub survives: bool,
    /// The failure domain or site whose loss hurts most.
    pub worst: String,
    /// Workers left after it.
    pub workers_left: u32,
    /// Workers that must be left.
    pub workers_needed: u32,
    /// Control-plane members left in the worst case. None when they are not on these sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members_left: Option<u32>,
    /// Members that must be left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// The verdict in words.
    pub why: String,
}

/// Judges the loss of any one failure domain and of any one site.
pub fn judge(
    tier: &Tier,
    domains: &[DomainPlan],
    control_plane: &ControlPlanePlan,
) -> Vec<Verdict> {
    [Promise::FailureDomain, Promise::Site]
        .into_iter()
        .filter_map(|loss| {
            losses(loss, domains)
                .into_iter()
                .map(|(name, gone)| verdict(loss, tier, domains, control_plane, &name, &gone))
                .min_by_key(|v| (v.survives, v.members_left, v.workers_left, v.worst.clone()))
        })
        .collect()
}

/// Each single loss of a kind: its name, and the failure domains that go with it.
fn losses(loss: Promise, domains: &[DomainPlan]) -> Vec<(String, Vec<&str>)> {
    match loss {
        Promise::FailureDomain => domains
            .iter()
            .map(|d| (d.name.clone(), vec![d.name.as_str()]))
            .collect(),
        Promise::Site => {
            let sites: BTreeSet<_> = domains.iter().map(|d| d.site.as_str()).collect();
            let of = |site| {
                domains
                    .iter()
                    .filter(move |d| d.site == site)
                    .map(|d| d.name.as_str())
            };
            sites
                .into_iter()
                .map(|site| (site.to_owned(), of(site).collect()))
                .collect()
        }
    }
}

fn verdict(
    loss: Promise,
    tier: &Tier,
    domains: &[DomainPlan],
    control_plane: &ControlPlanePlan,
    name: &str,
    gone: &[&str],
) -> Verdict {
    let workers_left = domains
        .iter()
        .filter(|d| !gone.contains(&d.name.as_str()))
        .map(|d| d.workers)
        .sum();
    let workers_needed = tier.workers_needed();
    let quorum = control_plane.quorum();
    let members_left = quorum.map(|_| {
        control_plane
            .replicas
            .saturating_sub(control_plane.worst_loss(gone))
    });
    let enough = workers_left >= workers_needed;
    let quorate = quorum
        .zip(members_left)
        .is_none_or(|(needed, left)| left >= needed);
    let members = match (members_left, quorum) {
        (Some(left), Some(needed)) => format!(
            "{left} of {} control-plane members, quorum of {needed} {}",
            control_plane.replicas,
            if quorate { "kept" } else { "lost" }
        ),
        _ => "the control plane, which runs in the management cluster".to_owned(),
    };
    let total: u32 = domains.iter().map(|d| d.workers).sum();
    Verdict {
        loss,
        promised: tier.survives.contains(&loss),
        survives: enough && quorate,
        worst: name.to_owned(),
        workers_left,
        workers_needed,
        members_left,
        quorum,
        why: format!(
            "without {name}: {workers_left} of {total} workers left, {workers_needed} needed; {members}"
        ),
    }
}
