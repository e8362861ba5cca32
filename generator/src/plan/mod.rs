//! Which replica goes where, every name, and what each cluster survives.
//!
//! Pure: a fleet and a selection go in, a [`Plan`] or the list of what is wrong comes out. The
//! order of everything in a plan is fixed, so that equal input gives equal output.
//!
//! | module | decides |
//! |---|---|
//! | [`selection`] | which clusters, machine sets and sites a run is about |
//! | [`balance`] | how many replicas each failure domain gets |
//! | [`domains`] | which failure domains a cluster uses |
//! | [`control_plane`] | how many members, and where |
//! | [`sites`] | whether a site says all that its backend needs |
//! | [`survival`] | what is left after the loss of a failure domain or a site |
//! | [`names`] | the names of everything that is rendered |

pub mod balance;
pub mod clusters;
pub mod codes;
pub mod control_plane;
pub mod domains;
pub mod names;
pub mod problem;
pub mod providers;
pub mod selection;
pub mod sets;
pub mod sites;
pub mod survival;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use banlieue_schemas::fleet::Fleet;
use serde::Serialize;

pub use clusters::ClusterPlan;
pub use problem::Problem;
pub use providers::ProviderPlan;
pub use selection::Selection;
pub use sets::SetPlan;

/// Everything that is decided about a fleet before anything is rendered.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Namespaces that hold Providers, clusters or machines, sorted.
    pub namespaces: BTreeSet<String>,
    /// Providers, by namespace and name. Always those of the whole fleet.
    pub providers: Vec<ProviderPlan>,
    /// The selected clusters, by tier and name.
    pub clusters: Vec<ClusterPlan>,
    /// The selected sets of standalone machines, by name.
    pub virtual_machines: Vec<SetPlan>,
}

/// Plans the selected part of a fleet.
///
/// # Errors
/// Every [`Problem`] that makes a selected cluster or set impossible, and every unknown name.
pub fn plan(fleet: &Fleet, selection: &Selection) -> Result<Plan, Vec<Problem>> {
    let mut problems = names::check(fleet);
    let mut plan = Plan {
        namespaces: namespaces(fleet),
        ..Plan::default()
    };
    let in_use = providers::in_use(fleet);
    plan.providers = providers::plan(fleet, &in_use, &mut problems);
    for (key, cluster) in &fleet.clusters {
        if !selection.cluster(key, &cluster.tier, &domains::sites_of(fleet, cluster)) {
            continue;
        }
        match clusters::plan(fleet, key, cluster) {
            Ok(planned) => plan.clusters.push(planned),
            Err(found) => problems.extend(found),
        }
    }
    for (key, set) in &fleet.virtual_machines {
        if selection.machine_set(&set.sites) {
            match sets::plan(fleet, key, set) {
                Ok(planned) => plan.virtual_machines.push(planned),
                Err(found) => problems.extend(found),
            }
        }
    }
    plan.clusters
        .sort_by(|a, b| (&a.tier, &a.name).cmp(&(&b.tier, &b.name)));
    if problems.is_empty() {
        Ok(plan)
    } else {
        Err(problems)
    }
}

/// Namespaces of everything in the fleet, whatever is selected.
fn namespaces(fleet: &Fleet) -> BTreeSet<String> {
    let default = &fleet.platform.fleet_namespace;
    let clusters = fleet.clusters.values().map(|c| c.namespace.as_ref());
    let sets = fleet
        .virtual_machines
        .values()
        .map(|s| s.namespace.as_ref());
    clusters
        .chain(sets)
        .map(|namespace| namespace.unwrap_or(default).clone())
        .chain([default.clone()])
        .collect()
}
