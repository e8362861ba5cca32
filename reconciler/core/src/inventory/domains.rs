//! From what a backend has and a Provider declares to the failure domains that it shows.

use std::collections::BTreeMap;

use banlieue_schemas::common::StringMap;
use banlieue_schemas::names;
use banlieue_schemas::platform::{
    Capabilities, FailureDomain, FailureDomainAttributes, FreeCapacity, FreeStorage, ProviderSpec,
    ZoneTarget,
};

use super::survey::{Capacity, Survey, Zone};

/// Steps to which free capacity is rounded down, so that it seldom changes.
const CPU_STEP: u32 = 8;
const MEMORY_STEP_MIB: u64 = 16 * 1024;
const STORAGE_STEP_GIB: u64 = 128;

/// The failure domains of a Provider, and what it declares that no zone has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    /// Sorted by name, every list in them sorted, so that the order of a survey changes nothing.
    pub shown: Vec<FailureDomain>,
    /// Storage and network classes that the Provider declares and no zone has, sorted.
    pub unavailable: Vec<String>,
    /// Names that two zones share; those zones are not shown.
    pub ambiguous: Vec<String>,
}

/// Derives the failure domains of the Provider `name` with `labels`.
///
/// A class is available in a zone where what it stands for exists. Declared features only narrow
/// what the backend has: a backend that has nothing to say about a feature cannot confirm it.
pub fn failure_domains(
    name: &str,
    labels: &StringMap,
    spec: &ProviderSpec,
    survey: &Survey,
) -> Domains {
    let none = Capabilities::default();
    let declared = spec.capabilities.as_ref().unwrap_or(&none);
    let mut by_name: BTreeMap<String, Vec<FailureDomain>> = BTreeMap::new();
    for zone in &survey.zones {
        let domain = domain(name, labels, spec, declared, zone);
        by_name.entry(domain.name.clone()).or_default().push(domain);
    }
    let mut domains = Domains::default();
    for (name, mut found) in by_name {
        match (found.pop(), found.is_empty()) {
            (Some(domain), true) => domains.shown.push(domain),
            _ => domains.ambiguous.push(name),
        }
    }
    domains.unavailable = unavailable(declared, &domains.shown);
    domains
}

fn domain(
    provider: &str,
    labels: &StringMap,
    spec: &ProviderSpec,
    declared: &Capabilities,
    zone: &Zone,
) -> FailureDomain {
    let chosen = spec
        .failure_domain_name_overrides
        .iter()
        .find(|chosen| chosen.datacenter == zone.datacenter && chosen.cluster == zone.cluster);
    let name = chosen.map_or_else(
        || names::failure_domain(provider, &zone.datacenter, &zone.cluster),
        |chosen| chosen.name.clone(),
    );
    let mut labels = labels.clone();
    for (key, value) in [
        ("datacenter", &zone.datacenter),
        ("cluster", &zone.cluster),
        ("name", &name),
    ] {
        labels.insert(key.to_owned(), value.clone());
    }
    let storage: Vec<(&str, &StringMap)> = declared
        .storage_classes
        .iter()
        .filter_map(|class| {
            let target = target_in(zone, class.target.as_ref(), &class.per_zone)?;
            zone.storage
                .contains(target)
                .then_some((class.name.as_str(), target))
        })
        .collect();
    let networks = declared.network_classes.iter().filter_map(|class| {
        let target = target_in(zone, class.target.as_ref(), &class.per_zone)?;
        zone.networks.contains(target).then(|| class.name.clone())
    });
    let features = declared
        .features
        .iter()
        .filter(|f| zone.features.contains(f));
    FailureDomain {
        name,
        labels,
        attributes: FailureDomainAttributes {
            available_storage_classes: sorted(storage.iter().map(|(name, _)| (*name).to_owned())),
            available_network_classes: sorted(networks),
            features: sorted(features.cloned()),
            free_capacity: zone.free.as_ref().map(|free| rounded(free, &storage)),
            raw: zone.raw.clone(),
        },
    }
}

/// What a class stands for in a zone: its own entry there, else the class's default.
pub fn target_in<'a>(
    zone: &Zone,
    default: Option<&'a StringMap>,
    per_zone: &'a [ZoneTarget],
) -> Option<&'a StringMap> {
    per_zone
        .iter()
        .find(|entry| entry.datacenter == zone.datacenter && entry.cluster == zone.cluster)
        .map(|entry| &entry.target)
        .or(default)
}

fn rounded(free: &Capacity, storage: &[(&str, &StringMap)]) -> FreeCapacity {
    let mut classes: Vec<FreeStorage> = storage
        .iter()
        .filter_map(|(class, target)| {
            let size = target
                .values()
                .find_map(|term| free.storage_gib.get(term))?;
            Some(FreeStorage {
                storage_class: (*class).to_owned(),
                size_gib: size - size % STORAGE_STEP_GIB,
            })
        })
        .collect();
    classes.sort_by(|one, other| one.storage_class.cmp(&other.storage_class));
    FreeCapacity {
        cpus: free.cpus.map(|cpus| cpus - cpus % CPU_STEP),
        memory_mib: free
            .memory_mib
            .map(|memory| memory - memory % MEMORY_STEP_MIB),
        storage: classes,
    }
}

fn unavailable(declared: &Capabilities, shown: &[FailureDomain]) -> Vec<String> {
    let storage = declared.storage_classes.iter().filter(|class| {
        !shown
            .iter()
            .any(|d| d.attributes.available_storage_classes.contains(&class.name))
    });
    let networks = declared.network_classes.iter().filter(|class| {
        !shown
            .iter()
            .any(|d| d.attributes.available_network_classes.contains(&class.name))
    });
    let storage = storage.map(|class| format!("storage class {}", class.name));
    let networks = networks.map(|class| format!("network class {}", class.name));
    sorted(storage.chain(networks))
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}
