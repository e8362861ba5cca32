//! Fixed addresses: of two machines with one address, who holds it.
//!
//! An address belongs to whoever holds it already; among those who only ask for it, to the oldest,
//! then to the first by namespace and name. Two addresses are one if they are in one network class
//! and name one IP, however it is written. A machine that waits for one of its addresses still
//! keeps its others from younger machines.

use std::net::IpAddr;

use banlieue_schemas::platform::{HeldAddress, VirtualMachine};
use k8s_openapi::jiff::Timestamp;

use crate::resolve::Nic;

/// What one machine holds and asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimant {
    /// UID of the machine.
    pub uid: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// When it was created. A machine without is the youngest.
    pub created: Option<Timestamp>,
    /// Addresses that it holds.
    pub held: Vec<Claim>,
    /// Addresses that it asks for.
    pub asked: Vec<Claim>,
}

/// An address in a network.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// Network class of the interface. `None` stands for every network: the class of the machine
    /// is not known.
    pub network_class: Option<String>,
    /// The address.
    pub address: IpAddr,
}

impl Claim {
    fn meets(&self, other: &Self) -> bool {
        let known = self
            .network_class
            .as_ref()
            .zip(other.network_class.as_ref());
        self.address == other.address && known.is_none_or(|(one, other)| one == other)
    }
}

/// An address that somebody else holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The address.
    pub address: IpAddr,
    /// What to tell. A machine of another namespace is not named.
    pub message: String,
}

impl Claimant {
    /// What a machine holds by its status and asks for by its spec. `network_class` says in which
    /// network class an interface is. An override without an address that can be read is left out:
    /// the machine is refused for that anyway.
    pub fn of(vm: &VirtualMachine, network_class: impl Fn(&str) -> Option<String>) -> Self {
        let metadata = &vm.metadata;
        let held = vm.status.iter().flat_map(|status| &status.held_addresses);
        let overrides = vm.spec.network_overrides.iter();
        Self {
            uid: metadata.uid.clone().unwrap_or_default(),
            namespace: metadata.namespace.clone().unwrap_or_default(),
            name: metadata.name.clone().unwrap_or_default(),
            created: metadata.creation_timestamp.as_ref().map(|time| time.0),
            held: held
                .filter_map(|held| claim(Some(held.network_class.clone()), &held.address))
                .collect(),
            asked: overrides
                .filter_map(|wanted| {
                    let fixed = wanted.fixed.as_ref()?;
                    claim(network_class(&wanted.name), &fixed.address)
                })
                .collect(),
        }
    }

    fn holds(&self, claim: &Claim) -> bool {
        self.held.iter().any(|held| held.meets(claim))
    }

    fn wants(&self, claim: &Claim) -> bool {
        self.holds(claim) || self.asked.iter().any(|asked| asked.meets(claim))
    }

    /// The lowest gets the address.
    fn rank(&self, claim: &Claim) -> (bool, Timestamp, &str, &str) {
        let created = self.created.unwrap_or(Timestamp::MAX);
        (!self.holds(claim), created, &self.namespace, &self.name)
    }
}

/// The first address that the machine asks for and another one gets. Of a machine's own claims
/// among `others` nothing is made.
pub fn conflict(own: &Claimant, others: &[Claimant]) -> Option<Conflict> {
    own.asked.iter().find_map(|asked| {
        let holder = others
            .iter()
            .filter(|other| other.uid != own.uid && other.wants(asked))
            .min_by(|one, other| one.rank(asked).cmp(&other.rank(asked)))?;
        (holder.rank(asked) < own.rank(asked)).then(|| Conflict {
            address: asked.address,
            message: message(own, holder, asked.address),
        })
    })
}

/// What a machine with these interfaces holds.
pub fn held(nics: &[Nic]) -> Vec<HeldAddress> {
    nics.iter()
        .filter_map(|nic| {
            let fixed = nic.ipam.fixed.as_ref()?;
            Some(HeldAddress {
                interface: nic.name.clone(),
                network_class: nic.network_class.clone(),
                address: fixed.address.clone(),
            })
        })
        .collect()
}

fn claim(network_class: Option<String>, address: &str) -> Option<Claim> {
    Some(Claim {
        network_class,
        address: address.parse::<IpAddr>().ok()?.to_canonical(),
    })
}

fn message(own: &Claimant, holder: &Claimant, address: IpAddr) -> String {
    if own.namespace == holder.namespace {
        format!("VirtualMachine {} has the address {address}", holder.name)
    } else {
        format!("a VirtualMachine of another namespace has the address {address}")
    }
}

#[cfg(test)]
mod tests;
