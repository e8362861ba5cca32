//! Interfaces of one machine: the class, what the machine overrides, and the zone's subnet.

use std::collections::BTreeSet;
use std::net::IpAddr;

use banlieue_schemas::common::{IpamSpec, StaticIpam, SubnetDefaults};
use banlieue_schemas::platform::{Interface, IpamShape, NetworkOverride, VmClassSpec};

use super::ResolveError;
use crate::schedule::Placement;

/// An interface of one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nic {
    /// Name, unique in the machine.
    pub name: String,
    /// Network class.
    pub network_class: String,
    /// How the interface gets its address, complete. Addresses are in their shortest form.
    pub ipam: IpamSpec,
}

/// The interfaces, in the order of the class. What the machine sets wins over the class, the class
/// over the zone's subnet. An override of an interface that the class lacks is an error.
pub fn nics(
    class: &VmClassSpec,
    overrides: &[NetworkOverride],
    placement: &Placement,
) -> Result<Vec<Nic>, ResolveError> {
    let interfaces = &class.network.interfaces;
    let known = |name: &str| interfaces.iter().any(|interface| interface.name == name);
    if let Some(unknown) = overrides.iter().find(|wanted| !known(&wanted.name)) {
        return Err(ResolveError::UnknownInterface {
            interface: unknown.name.clone(),
        });
    }
    let mut nics = Vec::with_capacity(interfaces.len());
    for interface in interfaces {
        let wanted = overrides
            .iter()
            .find(|wanted| wanted.name == interface.name);
        let zone = subnet(placement, &interface.network_class);
        nics.push(Nic {
            name: interface.name.clone(),
            network_class: interface.network_class.clone(),
            ipam: ipam(interface, wanted, zone)?,
        });
    }
    let mut seen = BTreeSet::new();
    for nic in &nics {
        if let Some(fixed) = &nic.ipam.fixed
            && !seen.insert((&nic.network_class, &fixed.address))
        {
            return Err(ResolveError::AddressTwice {
                address: fixed.address.clone(),
            });
        }
    }
    Ok(nics)
}

fn subnet(placement: &Placement, class: &str) -> SubnetDefaults {
    let mut networks = placement.networks.iter();
    networks
        .find(|network| network.class.class_name == class)
        .map(|network| network.subnet.clone())
        .unwrap_or_default()
}

fn ipam(
    interface: &Interface,
    wanted: Option<&NetworkOverride>,
    zone: SubnetDefaults,
) -> Result<IpamSpec, ResolveError> {
    let shape = interface.ipam.clone().unwrap_or_default();
    let IpamShape { fixed, pool } = shape;
    if let Some(own) = wanted.and_then(|wanted| wanted.fixed.as_ref()) {
        let completed = complete(own, fixed.unwrap_or_default(), zone);
        return Ok(IpamSpec {
            fixed: Some(checked(completed, &interface.name)?),
            pool: None,
        });
    }
    let own_pool = wanted.and_then(|wanted| wanted.pool.clone());
    if own_pool.is_none() && fixed.is_some() {
        return Err(ResolveError::NoAddress {
            interface: interface.name.clone(),
        });
    }
    Ok(IpamSpec {
        fixed: None,
        pool: own_pool.or(pool),
    })
}

fn complete(own: &StaticIpam, class: SubnetDefaults, zone: SubnetDefaults) -> StaticIpam {
    let mut nameservers = [&own.nameservers, &class.nameservers, &zone.nameservers].into_iter();
    StaticIpam {
        address: own.address.clone(),
        prefix: own.prefix,
        gateway: own.gateway.clone().or(class.gateway).or(zone.gateway),
        nameservers: nameservers
            .find(|servers| !servers.is_empty())
            .cloned()
            .unwrap_or_default(),
        domain: own.domain.clone().or(class.domain).or(zone.domain),
    }
}

/// The API server checks what a user writes; this also holds for objects that were stored before
/// a rule existed, and for the gateway of another family that only the merge brings together.
fn checked(fixed: StaticIpam, interface: &str) -> Result<StaticIpam, ResolveError> {
    let invalid = |what: &'static str, value: &str| ResolveError::InvalidAddress {
        interface: interface.to_owned(),
        what,
        value: value.to_owned(),
    };
    let read = |what, text: &str| text.parse::<IpAddr>().map_err(|_| invalid(what, text));
    let address = read("address", &fixed.address)?;
    let longest = if address.is_ipv4() { 32 } else { 128 };
    if fixed.prefix > longest {
        return Err(invalid("prefix", &fixed.prefix.to_string()));
    }
    let gateway = match &fixed.gateway {
        None => None,
        Some(text) => match read("gateway", text)? {
            gateway if gateway.is_ipv4() == address.is_ipv4() => Some(gateway.to_string()),
            _ => return Err(invalid("gateway", text)),
        },
    };
    let nameservers = fixed.nameservers.iter();
    Ok(StaticIpam {
        address: address.to_string(),
        gateway,
        nameservers: nameservers
            .map(|text| Ok(read("nameserver", text)?.to_string()))
            .collect::<Result<_, ResolveError>>()?,
        ..fixed
    })
}
