//! Addresses, interfaces and user data of standalone machines.

use std::{collections::BTreeMap, net::IpAddr};

use banlieue_schemas::{
    fleet::{Fleet, VirtualMachines},
    platform::Backend,
};

use crate::{
    check::{codes, finding::Fault},
    load::node::Path,
    plan::{Plan, Problem},
    render::Object,
};

/// Bytes of user data in base64 that vSphere hands to a guest.
const USER_DATA_MAX: usize = 65_536;

/// A static address in use.
struct Use<'a> {
    /// Machine, for messages.
    machine: String,
    sites: &'a [String],
}

/// Reports overrides for unknown interfaces, and addresses that two machines have.
///
/// Addresses are compared over the whole fleet, and reported at the planned sets.
pub fn check(fleet: &Fleet, plan: &Plan, problems: &mut Vec<Problem>) {
    let mut taken: BTreeMap<(IpAddr, &str), Vec<Use<'_>>> = BTreeMap::new();
    for (key, set) in &fleet.virtual_machines {
        let planned = plan.virtual_machines.iter().any(|plan| plan.key == *key);
        for (number, index, name, address) in overrides(set) {
            let (number, index) = (number.as_str(), index.to_string());
            let path = ["virtualMachines", key, "networkOverrides", number, &index];
            let class = fleet.classes.get(&set.class);
            let mut interfaces = class.iter().flat_map(|class| &class.network.interfaces);
            let Some(interface) = interfaces.find(|interface| interface.name == name) else {
                if planned {
                    problems.push(unknown_interface(fleet, set, &path, name));
                }
                continue;
            };
            // What is no address is refused by a rule of the CRD.
            let Some(address) = address.and_then(|address| address.parse().ok()) else {
                continue;
            };
            let uses = taken
                .entry((address, &interface.network_class))
                .or_default();
            if let Some(first) = uses.iter().find(|other| meet(other.sites, &set.sites)) {
                let message = format!("machine {} has the address {address}, too", first.machine);
                let path = [&path[..], &["static", "address"]].concat();
                problems.push(
                    Problem::new(&codes::ADDRESS, &path, message)
                        .hint("give each machine an address of its own"),
                );
            }
            uses.push(Use {
                machine: format!("{number} of set `{key}`"),
                sites: &set.sites,
            });
        }
    }
}

/// Number of the machine, position in its list, interface and static address of each override.
fn overrides(set: &VirtualMachines) -> impl Iterator<Item = (&String, usize, &str, Option<&str>)> {
    set.network_overrides.iter().flat_map(|(number, list)| {
        list.iter().enumerate().map(move |(index, entry)| {
            let address = entry.fixed.as_ref().map(|fixed| fixed.address.as_str());
            (number, index, entry.name.as_str(), address)
        })
    })
}

fn unknown_interface(fleet: &Fleet, set: &VirtualMachines, path: &[&str], name: &str) -> Problem {
    let class = fleet.classes.get(&set.class);
    let interfaces = class
        .into_iter()
        .flat_map(|class| &class.network.interfaces);
    let known: Vec<&str> = interfaces
        .map(|interface| interface.name.as_str())
        .collect();
    let message = format!("class `{}` has no interface `{name}`", set.class);
    Problem::new(&codes::INTERFACE, &[path, &["name"]].concat(), message)
        .expected(name, known.iter().copied())
}

/// Whether two lists of sites have one in common. An empty list stands for all.
fn meet(one: &[String], other: &[String]) -> bool {
    one.is_empty() || other.is_empty() || one.iter().any(|site| other.contains(site))
}

/// User data of a set that is too large for vSphere.
pub fn user_data(fleet: &Fleet, object: &Object) -> Option<Fault> {
    let [section, key] = object.origin.as_slice() else {
        return None;
    };
    if section != "virtualMachines" || object.id.kind != "ConfigMap" {
        return None;
    }
    let set = fleet.virtual_machines.get(key)?;
    let on_vsphere = fleet
        .sites
        .iter()
        .filter(|(name, _)| set.sites.is_empty() || set.sites.contains(name))
        .any(|(_, site)| site.backend == Backend::Vsphere);
    let text = object.value["data"]["user-data"].as_str()?;
    let encoded = text.len().div_ceil(3) * 4;
    (on_vsphere && encoded > USER_DATA_MAX).then(|| {
        Fault::new(
            &codes::USER_DATA,
            &Path::Root,
            format!("the user data has {encoded} bytes in base64, and vSphere takes at most {USER_DATA_MAX}"),
            "shorten it, or let the guest fetch the larger parts",
        )
    })
}
