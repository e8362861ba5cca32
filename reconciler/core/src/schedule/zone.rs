//! What names of classes and images mean in one failure domain.

use std::collections::BTreeSet;

use banlieue_schemas::common::{StringMap, SubnetDefaults};
use banlieue_schemas::platform::{
    FailureDomain, Provider, ProviderImageStatus, ResolvedClass, VmClass, VmImage, ZoneTarget,
};
use kube::ResourceExt;

use super::ResolvedNetwork;

/// Failure domains that a Provider shows.
pub(crate) fn published(provider: &Provider) -> &[FailureDomain] {
    provider
        .status
        .as_ref()
        .map_or(&[], |status| status.failure_domains.as_slice())
}

/// What the storage classes of a machine are in a failure domain, without those that are not there.
pub(crate) fn storage_classes(
    provider: &Provider,
    domain: &FailureDomain,
    class: &VmClass,
) -> Vec<ResolvedClass> {
    let resolve = |name| storage(provider, domain, name);
    storage_names(class)
        .into_iter()
        .filter_map(resolve)
        .collect()
}

/// What the network classes of a machine are in a failure domain, if all are there.
pub(crate) fn network_classes(
    provider: &Provider,
    domain: &FailureDomain,
    class: &VmClass,
) -> Option<Vec<ResolvedNetwork>> {
    let resolve = |name| network(provider, domain, name);
    network_names(class).into_iter().map(resolve).collect()
}

/// Names of the storage classes of a machine, sorted.
pub(super) fn storage_names(class: &VmClass) -> BTreeSet<&str> {
    let disks = class.spec.hardware.disks.iter();
    disks.map(|disk| disk.storage_class.as_str()).collect()
}

/// Names of the network classes of a machine, sorted.
pub(super) fn network_names(class: &VmClass) -> BTreeSet<&str> {
    let interfaces = class.spec.network.interfaces.iter();
    interfaces
        .map(|interface| interface.network_class.as_str())
        .collect()
}

/// What a storage class is in a failure domain, `None` if it is not there.
pub(super) fn storage(
    provider: &Provider,
    domain: &FailureDomain,
    class: &str,
) -> Option<ResolvedClass> {
    if !has(&domain.attributes.available_storage_classes, class) {
        return None;
    }
    let declared = provider.spec.capabilities.as_ref().and_then(|offered| {
        let mut classes = offered.storage_classes.iter();
        classes.find(|storage| storage.name == class)
    });
    let target = declared.map(|storage| (storage.per_zone.as_slice(), storage.target.as_ref()));
    resolved(domain, class, target)
}

/// What a network class is in a failure domain, `None` if it is not there.
pub(super) fn network(
    provider: &Provider,
    domain: &FailureDomain,
    class: &str,
) -> Option<ResolvedNetwork> {
    if !has(&domain.attributes.available_network_classes, class) {
        return None;
    }
    let declared = provider.spec.capabilities.as_ref().and_then(|offered| {
        let mut classes = offered.network_classes.iter();
        classes.find(|network| network.name == class)
    });
    let target = declared.map(|network| (network.per_zone.as_slice(), network.target.as_ref()));
    Some(ResolvedNetwork {
        class: resolved(domain, class, target)?,
        subnet: declared.map_or_else(SubnetDefaults::default, |network| {
            let mut zones = network.per_zone_subnet.iter();
            let own = zones.find(|zone| is_zone(domain, &zone.datacenter, &zone.cluster));
            own.map(|zone| zone.subnet.clone())
                .or_else(|| network.subnet.clone())
                .unwrap_or_default()
        }),
    })
}

/// What the backend calls the image in a failure domain, or why there is none.
pub(super) fn image(
    provider: &Provider,
    domain: &FailureDomain,
    image: &VmImage,
) -> Result<Option<String>, String> {
    let name = image.name_any();
    let Some(row) = row(provider, image) else {
        return Err(format!("image {name} was not looked for yet"));
    };
    let why = |reason: Option<&String>| match reason {
        Some(reason) => format!("image {name} is not ready: {reason}"),
        None => format!("image {name} is not ready"),
    };
    match row.zones.iter().find(|zone| zone.name == domain.name) {
        Some(zone) if zone.ready => Ok(zone.resolved_ref.as_ref().or(row.resolved_ref.as_ref())),
        Some(zone) => Err(why(zone.reason.as_ref().or(row.reason.as_ref()))),
        // A row without zones speaks of all of them.
        None if row.ready && row.zones.is_empty() => Ok(row.resolved_ref.as_ref()),
        None => Err(why(row.reason.as_ref().filter(|_| !row.ready))),
    }
    .map(Option::<&String>::cloned)
}

fn row<'a>(provider: &Provider, image: &'a VmImage) -> Option<&'a ProviderImageStatus> {
    let (namespace, name) = (provider.namespace(), provider.name_any());
    image.status.as_ref()?.per_provider.iter().find(|row| {
        row.provider_name == name && Some(&row.provider_namespace) == namespace.as_ref()
    })
}

/// The target of the zone, else that of the class. A class that the failure domain shows although
/// nobody declared it is called on the backend what it is called here.
fn resolved(
    domain: &FailureDomain,
    class: &str,
    declared: Option<(&[ZoneTarget], Option<&StringMap>)>,
) -> Option<ResolvedClass> {
    let backend_id = match declared {
        None => class.to_owned(),
        Some((per_zone, default)) => {
            let own = per_zone
                .iter()
                .find(|zone| is_zone(domain, &zone.datacenter, &zone.cluster));
            backend_id(own.map(|zone| &zone.target).or(default)?)
        }
    };
    Some(ResolvedClass {
        class_name: class.to_owned(),
        backend_id,
    })
}

/// A target of one entry is its value; one of several is `key=value` of each, by key.
fn backend_id(target: &StringMap) -> String {
    if let (1, Some(value)) = (target.len(), target.values().next()) {
        return value.clone();
    }
    let entries: Vec<String> = target
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    entries.join(",")
}

fn is_zone(domain: &FailureDomain, datacenter: &str, cluster: &str) -> bool {
    let label = |key| domain.labels.get(key).map(String::as_str);
    label("datacenter") == Some(datacenter) && label("cluster") == Some(cluster)
}

fn has(names: &[String], wanted: &str) -> bool {
    names.iter().any(|name| name == wanted)
}
