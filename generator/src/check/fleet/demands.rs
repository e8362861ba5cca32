//! Which classes and images are used at which sites.

use std::collections::BTreeSet;

use banlieue_schemas::fleet::Fleet;

use crate::plan::Plan;

/// A machine class with an image, and where machines of it may run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand<'a> {
    /// What asks for it, for messages.
    pub by: String,
    /// The machine class.
    pub class: &'a str,
    /// The image.
    pub image: &'a str,
    /// The sites, each of which must do. Empty: any site, and one that does is enough.
    pub sites: &'a [String],
}

/// What the planned clusters and sets ask for, each once.
pub fn of<'a>(fleet: &'a Fleet, plan: &'a Plan) -> Vec<Demand<'a>> {
    let mut seen = BTreeSet::new();
    let mut demands = Vec::new();
    let mut add = |demand: Demand<'a>| {
        if seen.insert((demand.class, demand.image, demand.sites)) {
            demands.push(demand);
        }
    };
    for cluster in &plan.clusters {
        let Some(spec) = fleet.clusters.get(&cluster.key) else {
            continue;
        };
        let members = cluster.control_plane_class.as_ref();
        for class in std::iter::once(&cluster.worker_class).chain(members) {
            add(Demand {
                by: format!("cluster `{}`", cluster.key),
                class,
                image: &spec.image,
                sites: &cluster.sites,
            });
        }
    }
    for set in &plan.virtual_machines {
        let Some(spec) = fleet.virtual_machines.get(&set.key) else {
            continue;
        };
        add(Demand {
            by: format!("machine set `{}`", set.key),
            class: &spec.class,
            image: &spec.image,
            sites: &set.sites,
        });
    }
    demands
}
