//! From a place in a rendered object to the place in the fleet that it comes from.

use banlieue_schemas::{fleet::Fleet, platform::Backend};

use super::finding::{Fault, Finding};
use crate::{
    plan::{Problem, names},
    render::Object,
};

/// Where the fields of an object come from. The longest prefix that fits counts, and what follows
/// it is the same in both.
struct Move {
    /// Section of the fleet that the object is rendered from.
    section: &'static str,
    /// Its kind.
    kind: &'static str,
    /// Fields in the object.
    from: &'static [&'static str],
    /// Fields in the entry of the section; none where the field has its value from elsewhere.
    to: &'static [&'static str],
}

const fn of(
    section: &'static str,
    kind: &'static str,
    from: &'static [&'static str],
    to: &'static [&'static str],
) -> Move {
    Move {
        section,
        kind,
        from,
        to,
    }
}

const CONNECTION: [&str; 2] = ["spec", "connection"];

const MOVES: &[Move] = &[
    of("classes", "VMClass", &["spec"], &[]),
    of("images", "VMImage", &["spec"], &[]),
    of("providerClasses", "ProviderClass", &["spec"], &[]),
    of(
        "platform",
        "Namespace",
        &["metadata", "labels"],
        &["namespaceLabels"],
    ),
    of("sites", "Provider", &["metadata", "labels"], &["labels"]),
    of(
        "sites",
        "Provider",
        &["spec", "providerClassRef"],
        &["providerClass"],
    ),
    of(
        "sites",
        "Provider",
        &["spec", "connection", "endpoint"],
        &["endpoint"],
    ),
    of(
        "sites",
        "Provider",
        &["spec", "connection", "credentialsRef"],
        &["credentials", "secret"],
    ),
    of(
        "sites",
        "Provider",
        &["spec", "connection", "caBundle"],
        &["caBundle"],
    ),
    of("sites", "Provider", &["spec", "capabilities"], &[]),
    of(
        "sites",
        "Provider",
        &["spec", "failureDomainNameOverrides"],
        &["zones"],
    ),
    of(
        "virtualMachines",
        "VirtualMachine",
        &["metadata", "labels"],
        &["labels"],
    ),
    of(
        "virtualMachines",
        "VirtualMachine",
        &["spec", "classRef"],
        &["class"],
    ),
    of(
        "virtualMachines",
        "VirtualMachine",
        &["spec", "imageRef"],
        &["image"],
    ),
    of(
        "virtualMachines",
        "VirtualMachine",
        &["spec", "networkOverrides"],
        &["networkOverrides"],
    ),
    of(
        "virtualMachines",
        "VirtualMachine",
        &["spec", "userData"],
        &["userData"],
    ),
    of(
        "virtualMachines",
        "ConfigMap",
        &[],
        &["cloudInit", "template"],
    ),
    of("clusters", "Cluster", &["metadata", "labels"], &["labels"]),
    of(
        "clusters",
        "Cluster",
        &["spec", "clusterNetwork"],
        &["network"],
    ),
    of(
        "clusters",
        "Cluster",
        &["spec", "controlPlaneEndpoint"],
        &["controlPlane", "endpoint"],
    ),
];

/// A fault of an object as a finding in the fleet.
pub fn finding(fleet: &Fleet, object: &Object, fault: Fault) -> Finding {
    let here = fault.path.join(".");
    let message = if here.is_empty() {
        fault.message
    } else if fault.code == &super::codes::RULE {
        format!("`{here}`: {}", fault.message)
    } else {
        format!("`{here}` {}", fault.message)
    };
    let problem = Problem {
        code: fault.code,
        path: in_fleet(fleet, object, &fault.path),
        message,
        hint: Some(fault.hint),
    };
    Finding {
        problem,
        severity: fault.severity,
        object: Some(object.id.to_string()),
    }
}

/// Keys from the top of the fleet to what the place in the object was rendered from.
fn in_fleet(fleet: &Fleet, object: &Object, path: &[String]) -> Vec<String> {
    let mut place = object.origin.clone();
    let section = place.first().map_or("", String::as_str);
    let fits =
        |from: &[&str]| from.len() <= path.len() && from.iter().zip(path).all(|(a, b)| a == b);
    let Some(found) = MOVES
        .iter()
        .filter(|m| m.section == section && m.kind == object.id.kind && fits(m.from))
        .max_by_key(|m| m.from.len())
    else {
        return place;
    };
    if found.kind == "Provider" && path.starts_with(&CONNECTION.map(str::to_owned)) {
        place.extend(host(fleet, object));
    }
    place.extend(found.to.iter().map(|&key| key.to_owned()));
    if found.to == ["networkOverrides"] {
        place.extend(machine_number(object));
    }
    let rest = &path[found.from.len()..];
    place.extend(rest.iter().cloned());
    if found.from == ["spec", "capabilities"] {
        name_class(object, &mut place);
    }
    place
}

/// The zone that a Provider of one host stands for.
fn host(fleet: &Fleet, object: &Object) -> Vec<String> {
    let Some((name, site)) = object
        .origin
        .get(1)
        .and_then(|n| fleet.sites.get_key_value(n))
    else {
        return Vec::new();
    };
    let mut zones = site.zones.keys();
    let zone = zones.find(|zone| {
        site.backend == Backend::Libvirt && names::host_provider(name, zone) == object.id.name
    });
    zone.map_or_else(Vec::new, |zone| vec!["zones".to_owned(), zone.clone()])
}

/// The number at the end of a machine's name.
fn machine_number(object: &Object) -> Option<String> {
    let (_, number) = object.id.name.rsplit_once('-')?;
    number.parse::<u32>().ok().map(|number| number.to_string())
}

/// Classes of storage and network are lists in a Provider and maps in a site.
fn name_class(object: &Object, place: &mut [String]) {
    if let [.., list, index, _] | [.., list, index] = place
        && let Ok(position) = index.parse::<usize>()
        && let Some(name) =
            object.value["spec"]["capabilities"][list.as_str()][position]["name"].as_str()
    {
        name.clone_into(index);
    }
}
