//! Which clusters, machine sets and sites a run is about.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::fleet::Fleet;

use super::{codes, problem::Problem};

/// The keys of `KEY=VALUE` arguments that select; every other key is a parameter.
pub const KEYS: [&str; 3] = ["tier", "cluster", "site"];

/// A choice of clusters and machine sets. An empty set of names chooses all.
///
/// What belongs to the platform (CRDs, RBAC, classes, Providers, images) is always rendered for
/// the whole fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Chosen tiers.
    pub tiers: BTreeSet<String>,
    /// Chosen clusters, by their key in the fleet.
    pub clusters: BTreeSet<String>,
    /// Chosen sites; a cluster is chosen when it uses one of them.
    pub sites: BTreeSet<String>,
}

impl Selection {
    /// Takes the selecting arguments out of `KEY=VALUE` pairs. A value may list several names,
    /// separated by commas.
    pub fn take(arguments: &mut BTreeMap<String, String>) -> Self {
        let mut names = |key: &str| {
            let value = arguments.remove(key).unwrap_or_default();
            value
                .split(',')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        Self {
            tiers: names("tier"),
            clusters: names("cluster"),
            sites: names("site"),
        }
    }

    /// Whether everything is chosen.
    pub fn is_all(&self) -> bool {
        self.tiers.is_empty() && self.clusters.is_empty() && self.sites.is_empty()
    }

    /// Whether a cluster is chosen.
    pub fn cluster(&self, key: &str, tier: &str, sites: &[String]) -> bool {
        let chosen =
            |names: &BTreeSet<String>, name: &str| names.is_empty() || names.contains(name);
        chosen(&self.tiers, tier)
            && chosen(&self.clusters, key)
            && (self.sites.is_empty() || sites.iter().any(|site| self.sites.contains(site)))
    }

    /// Whether a set of standalone machines is chosen: never by a tier or a cluster.
    pub fn machine_set(&self, sites: &[String]) -> bool {
        self.tiers.is_empty()
            && self.clusters.is_empty()
            && (self.sites.is_empty()
                || sites.is_empty()
                || sites.iter().any(|site| self.sites.contains(site)))
    }

    /// Every chosen name that the fleet does not have, and a combination that leaves nothing.
    ///
    /// A single tier or site may be empty: the run after its last cluster is removed is the one
    /// that takes the files away.
    pub fn check(&self, fleet: &Fleet) -> Vec<Problem> {
        let mut problems = Vec::new();
        unknown("tier", &self.tiers, fleet.tiers.keys(), &mut problems);
        unknown(
            "cluster",
            &self.clusters,
            fleet.clusters.keys(),
            &mut problems,
        );
        unknown("site", &self.sites, fleet.sites.keys(), &mut problems);
        if problems.is_empty() && self.combines() && !self.matches_something(fleet) {
            problems.push(
                Problem::new(
                    &codes::EMPTY_SELECTION,
                    &[],
                    format!("nothing in the fleet is selected by {self}"),
                )
                .hint("`banlieue-gen plan` without a selection lists all clusters"),
            );
        }
        problems
    }

    /// Whether names of more than one kind are chosen.
    fn combines(&self) -> bool {
        let kinds = [&self.tiers, &self.clusters, &self.sites];
        kinds.iter().filter(|names| !names.is_empty()).count() > 1
    }

    fn matches_something(&self, fleet: &Fleet) -> bool {
        let clusters = fleet.clusters.iter();
        clusters.into_iter().any(|(key, cluster)| {
            self.cluster(
                key,
                &cluster.tier,
                &super::domains::sites_of(fleet, cluster),
            )
        }) || fleet
            .virtual_machines
            .values()
            .any(|set| self.machine_set(&set.sites))
    }
}

impl std::fmt::Display for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let join = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(",");
        let parts: Vec<_> = [
            ("tier", &self.tiers),
            ("cluster", &self.clusters),
            ("site", &self.sites),
        ]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(key, names)| format!("{key}={}", join(names)))
        .collect();
        f.write_str(&parts.join(" "))
    }
}

fn unknown<'a>(
    key: &str,
    chosen: &BTreeSet<String>,
    known: impl Iterator<Item = &'a String> + Clone,
    problems: &mut Vec<Problem>,
) {
    let known = known.map(String::as_str);
    for name in chosen {
        if !known.clone().any(|k| k == name) {
            problems.push(
                Problem::new(
                    &codes::UNKNOWN_SELECTION,
                    &[],
                    format!("{key}={name} selects nothing: the fleet has no such {key}"),
                )
                .expected(name, known.clone()),
            );
        }
    }
}
