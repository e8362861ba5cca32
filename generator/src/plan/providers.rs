//! Which Providers there are, in which namespaces.

use std::collections::{BTreeMap, BTreeSet};

use banlieue_schemas::{fleet::Fleet, platform::Backend};
use serde::Serialize;

use super::{codes, domains, names, problem::Problem};

/// One Provider: a vCenter, a libvirt host or a simulator, in one namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderPlan {
    /// Name of the object.
    pub name: String,
    /// Its namespace: machines find Providers in their own.
    pub namespace: String,
    /// Site in the fleet.
    pub site: String,
    /// The zone, where each zone is a Provider of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Name of its ProviderClass.
    pub class: String,
}

/// Names of the Providers of a site.
pub fn names(fleet: &Fleet, site: &str) -> Vec<String> {
    let Some(spec) = fleet.sites.get(site) else {
        return Vec::new();
    };
    if spec.backend == Backend::Libvirt {
        spec.zones
            .keys()
            .map(|zone| names::host_provider(site, zone))
            .collect()
    } else {
        vec![names::provider(site)]
    }
}

/// Namespaces by the sites that are used in them. A site that nothing uses stands in the default
/// namespace, so that registering a site comes before using it.
pub fn in_use(fleet: &Fleet) -> BTreeMap<String, BTreeSet<String>> {
    let default = &fleet.platform.fleet_namespace;
    let mut in_use: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |site: &str, namespace: &String| {
        in_use
            .entry(site.to_owned())
            .or_default()
            .insert(namespace.clone());
    };
    for cluster in fleet.clusters.values() {
        for site in domains::sites_of(fleet, cluster) {
            add(&site, cluster.namespace.as_ref().unwrap_or(default));
        }
    }
    for set in fleet.virtual_machines.values() {
        let sites: Vec<&String> = if set.sites.is_empty() {
            fleet.sites.keys().collect()
        } else {
            set.sites.iter().collect()
        };
        for site in sites {
            add(site, set.namespace.as_ref().unwrap_or(default));
        }
    }
    for site in fleet.sites.keys() {
        if !in_use.contains_key(site) {
            in_use.insert(site.clone(), BTreeSet::from([default.clone()]));
        }
    }
    in_use
}

/// Plans the Providers of the whole fleet and reports what each lacks.
pub fn plan(
    fleet: &Fleet,
    in_use: &BTreeMap<String, BTreeSet<String>>,
    problems: &mut Vec<Problem>,
) -> Vec<ProviderPlan> {
    let mut providers = Vec::new();
    for (site, spec) in &fleet.sites {
        super::sites::check(fleet, site, spec, problems);
        let class = spec
            .provider_class
            .clone()
            .unwrap_or_else(|| spec.backend.to_string());
        for namespace in in_use.get(site).into_iter().flatten() {
            let provider = |name: String, zone: Option<&String>| ProviderPlan {
                name,
                namespace: namespace.clone(),
                site: site.clone(),
                zone: zone.cloned(),
                class: class.clone(),
            };
            if spec.backend == Backend::Libvirt {
                let zones = spec.zones.keys();
                providers.extend(
                    zones.map(|zone| provider(names::host_provider(site, zone), Some(zone))),
                );
            } else {
                providers.push(provider(names::provider(site), None));
            }
        }
    }
    providers.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    twins(&providers, problems);
    providers
}

/// Two sites that end up with one Provider name.
fn twins(providers: &[ProviderPlan], problems: &mut Vec<Problem>) {
    for pair in providers.windows(2) {
        if pair[0].namespace == pair[1].namespace && pair[0].name == pair[1].name {
            problems.push(
                Problem::new(
                    &codes::NAME_TWINS,
                    &["sites", &pair[1].site],
                    format!(
                        "sites `{}` and `{}` both need a Provider named `{}`",
                        pair[0].site, pair[1].site, pair[0].name
                    ),
                )
                .hint("rename one of the sites or zones"),
            );
        }
    }
}
