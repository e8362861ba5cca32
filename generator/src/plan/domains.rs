//! Which failure domains a cluster uses.

use banlieue_schemas::fleet::{Cluster, Fleet, Site};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde::Serialize;

use super::names;

/// One failure domain that a cluster may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Domain {
    /// Name under which the Provider publishes it.
    pub name: String,
    /// Site in the fleet.
    pub site: String,
    /// Zone of the site.
    pub zone: String,
    /// Whether control-plane machines may run here.
    pub control_plane: bool,
}

/// Sites of a cluster in order of preference: as listed, or those that the selector matches, by
/// name. Unknown names are kept; the caller reports them.
pub fn sites_of(fleet: &Fleet, cluster: &Cluster) -> Vec<String> {
    match &cluster.site_selector {
        Some(selector) => fleet
            .sites
            .iter()
            .filter(|(_, site)| matches(selector, site))
            .map(|(name, _)| name.clone())
            .collect(),
        None => cluster.sites.clone(),
    }
}

/// Picks up to `wanted` failure domains: the first zone of each site, then the second of each,
/// and so on, so that sites share as evenly as their zones allow.
pub fn pick(fleet: &Fleet, sites: &[String], wanted: usize) -> Vec<Domain> {
    interleave(fleet, sites).into_iter().take(wanted).collect()
}

/// All failure domains of the sites, zone by zone round the sites.
fn interleave(fleet: &Fleet, sites: &[String]) -> Vec<Domain> {
    let mut domains = Vec::new();
    let most = sites
        .iter()
        .filter_map(|s| fleet.sites.get(s))
        .map(|s| s.zones.len())
        .max();
    for index in 0..most.unwrap_or(0) {
        for name in sites {
            let Some(site) = fleet.sites.get(name) else {
                continue;
            };
            if let Some((zone, spec)) = site.zones.iter().nth(index) {
                domains.push(Domain {
                    name: names::failure_domain(name, zone),
                    site: name.clone(),
                    zone: zone.clone(),
                    control_plane: spec.control_plane.unwrap_or(true),
                });
            }
        }
    }
    domains
}

fn matches(selector: &LabelSelector, site: &Site) -> bool {
    let labels = selector.match_labels.iter().flatten();
    let expressions = selector.match_expressions.iter().flatten();
    labels
        .into_iter()
        .all(|(key, value)| site.labels.get(key) == Some(value))
        && expressions
            .into_iter()
            .all(|requirement| holds(requirement, site))
}

fn holds(requirement: &LabelSelectorRequirement, site: &Site) -> bool {
    let value = site.labels.get(&requirement.key);
    let listed = value.is_some_and(|v| requirement.values.iter().flatten().any(|x| x == v));
    match requirement.operator.as_str() {
        "In" => listed,
        "NotIn" => !listed,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}
