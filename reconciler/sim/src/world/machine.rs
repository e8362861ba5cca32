//! One machine of a world, ours or a stranger's.

use banlieue_core::machine::{
    Address, Hardware, Identity, InFlight, Observed, ObservedDisk, ObservedNic, Seed, Stamp,
};
use banlieue_schemas::common::{MachineAddress, MachineAddressType, PowerState, StringMap};

use super::guest;

/// A machine, or what is left of one.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Stamp: the UID of our object. None on what others made.
    pub(super) uid: Option<String>,
    /// Name for people.
    pub(super) name: String,
    /// Index of its zone.
    pub(super) zone: usize,
    /// Host it is on.
    pub(super) host: String,
    /// Whether it is complete.
    pub(super) defined: bool,
    /// Whether it runs.
    pub(super) power: PowerState,
    /// CPUs, memory, firmware.
    pub(super) hardware: Hardware,
    /// Disks that were made for it.
    pub(super) disks: Vec<VirtualDisk>,
    /// Interfaces.
    pub(super) nics: Vec<VirtualNic>,
    /// What the guest gets on its first boot.
    pub(super) seed: Option<Seed>,
    /// Whether the guest is up.
    pub(super) guest_up: bool,
    /// Disks of persons, attached by hand.
    pub(super) strange_disks: Vec<String>,
    /// How much work was begun on it: every piece draws another latency.
    pub(super) works: u64,
}

/// A disk with the pool that it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VirtualDisk {
    pub(super) name: String,
    pub(super) size_gib: u32,
    pub(super) pool: String,
}

/// An interface with the network that it is attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VirtualNic {
    pub(super) name: String,
    pub(super) mac: String,
    pub(super) network: String,
    pub(super) address: Option<Address>,
}

impl Machine {
    /// Whether it carries the stamp of that object.
    pub(super) fn is_of(&self, identity: &Identity) -> bool {
        self.uid.as_deref() == Some(identity.uid())
    }

    /// How the one who asks for `identity` sees it.
    pub(super) fn observed(
        &self,
        identity: &Identity,
        place: StringMap,
        in_flight: Option<InFlight>,
    ) -> Observed {
        Observed {
            stamp: if self.is_of(identity) {
                Stamp::Ours
            } else {
                Stamp::Foreign
            },
            defined: self.defined,
            place,
            host: Some(self.host.clone()),
            in_flight,
            power: self.power,
            hardware: self.hardware,
            disks: self.disks.iter().map(VirtualDisk::observed).collect(),
            nics: self.nics.iter().map(VirtualNic::observed).collect(),
            seeded: self.seed.is_some(),
            strangers_attached: !self.strange_disks.is_empty(),
            addresses: self.addresses(identity),
            guest_up: Some(self.guest_up),
        }
    }

    /// The host name, then the address of each interface in the guest's order.
    fn addresses(&self, identity: &Identity) -> Vec<MachineAddress> {
        if !self.guest_up {
            return Vec::new();
        }
        let hostname = self.seed.as_ref().map_or(&self.name, |seed| &seed.hostname);
        let hostname = MachineAddress {
            kind: MachineAddressType::Hostname,
            address: hostname.clone(),
        };
        let of_nics = self.nics.iter().map(|nic| MachineAddress {
            kind: MachineAddressType::InternalIP,
            address: nic.address.as_ref().map_or_else(
                || guest::address(identity.uuid(), &nic.name),
                |fixed| fixed.address.clone(),
            ),
        });
        std::iter::once(hostname).chain(of_nics).collect()
    }
}

impl VirtualDisk {
    fn observed(&self) -> ObservedDisk {
        ObservedDisk {
            name: self.name.clone(),
            size_gib: self.size_gib,
        }
    }
}

impl VirtualNic {
    fn observed(&self) -> ObservedNic {
        ObservedNic {
            name: self.name.clone(),
            mac: self.mac.clone(),
        }
    }
}
