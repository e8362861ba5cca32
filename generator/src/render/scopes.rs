//! The parts of a tree, and which of them a run speaks for.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::fleet::Fleet;

use super::{RenderError, topology};
use crate::{
    plan::{ClusterPlan, Plan, Selection, SetPlan, domains},
    tree::{Scope, ScopeInfo},
};

/// Everything that is the same whatever is selected.
pub const PLATFORM: &str = "platform";
/// Files that are drawn from all the others.
pub const INDEX: &str = "index";
const CLUSTER: &str = "cluster/";
const TEMPLATES: &str = "templates/";
const MACHINES: &str = "virtualmachines/";

/// The scope of the platform.
pub fn platform() -> Scope {
    Scope::new(PLATFORM)
}

/// The scope of the index files.
pub fn index() -> Scope {
    Scope::new(INDEX)
}

/// The scope of a cluster.
pub fn cluster(plan: &ClusterPlan) -> Scope {
    Scope::new(format!("{CLUSTER}{}/{}", plan.tier, plan.key))
}

/// The scope of a cluster's templates. Machines may still run from a superseded one, so it
/// outlives its use and leaves the tree only with the cluster.
pub fn templates(plan: &ClusterPlan) -> Scope {
    Scope::new(format!("{TEMPLATES}{}/{}", plan.tier, plan.key))
}

/// Whether a scope is that of a cluster's templates.
pub fn is_templates(scope: &Scope) -> bool {
    scope.as_str().starts_with(TEMPLATES)
}

/// The scope of a set of standalone machines.
pub fn set(plan: &SetPlan) -> Scope {
    Scope::new(format!("{MACHINES}{}", plan.key))
}

/// The scopes that a plan renders.
///
/// # Errors
/// A summary that cannot be written as JSON.
pub fn of(fleet: &Fleet, plan: &Plan) -> Result<BTreeMap<Scope, ScopeInfo>, RenderError> {
    let mut scopes = BTreeMap::from([
        (platform(), ScopeInfo::default()),
        (index(), ScopeInfo::default()),
    ]);
    for plan in &plan.clusters {
        let info = |summary| ScopeInfo {
            tier: Some(plan.tier.clone()),
            cluster: Some(plan.key.clone()),
            sites: plan.sites.clone(),
            summary,
        };
        scopes.insert(cluster(plan), info(Some(topology::cluster(plan)?)));
        scopes.insert(templates(plan), info(None));
    }
    for plan in &plan.virtual_machines {
        let info = ScopeInfo {
            sites: plan.sites.clone(),
            summary: Some(topology::set(fleet, plan)?),
            ..ScopeInfo::default()
        };
        scopes.insert(set(plan), info);
    }
    Ok(scopes)
}

/// Whether a run speaks for a scope: files of it that are no longer rendered are deleted.
///
/// A cluster that the fleet still has is spoken for by the runs that render it, wherever it was
/// before: otherwise a change of its tier or its sites would, to a run over the old ones, look
/// like its end. One that the fleet no longer has is spoken for where it was last.
pub fn covers<'a>(
    fleet: &'a Fleet,
    selection: &'a Selection,
    rendered: &'a BTreeMap<Scope, ScopeInfo>,
) -> impl Fn(&Scope, &ScopeInfo) -> bool + 'a {
    let alive: BTreeSet<&str> = rendered.keys().map(Scope::as_str).collect();
    move |scope, info| {
        let name = scope.as_str();
        let selected = match (&info.tier, &info.cluster, name.strip_prefix(MACHINES)) {
            (Some(tier), Some(key), _) => match fleet.clusters.get(key) {
                Some(now) => selection.cluster(key, &now.tier, &domains::sites_of(fleet, now)),
                None => selection.cluster(key, tier, &info.sites),
            },
            (_, _, Some(key)) => {
                let now = fleet.virtual_machines.get(key);
                selection.machine_set(now.map_or(&info.sites, |now| &now.sites))
            }
            _ => true,
        };
        selected && !(is_templates(scope) && alive.contains(name))
    }
}
