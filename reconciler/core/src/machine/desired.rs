//! What a machine should be, with every name resolved to what its backend calls it.

use std::fmt;

use banlieue_schemas::common::{DiskProvisioning, Firmware, PowerState, StringMap};

/// A machine as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desired {
    /// Name for people. Backends may show it; nothing is looked up by it.
    pub name: String,
    /// Failure domain to be in.
    pub zone: String,
    /// Where that is, in the backend's own terms: the failure domain's `attributes.raw`.
    pub place: StringMap,
    /// What the backend calls the image in that zone.
    pub image: String,
    /// CPUs, memory, firmware.
    pub hardware: Hardware,
    /// Disks; the first is made from the image.
    pub disks: Vec<Disk>,
    /// Interfaces, in the order in which the guest sees them.
    pub nics: Vec<Nic>,
    /// What the guest gets on its first boot.
    pub seed: Seed,
    /// Whether it runs.
    pub power: PowerState,
}

/// CPUs, memory, firmware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Virtual CPUs.
    pub cpus: u32,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// Firmware.
    pub firmware: Firmware,
    /// Whether there is a virtual TPM.
    pub tpm: bool,
}

/// A disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    /// Name, unique in the machine.
    pub name: String,
    /// Size in GiB.
    pub size_gib: u32,
    /// Where it lies, in the backend's own terms. Empty means where the image lies.
    pub target: StringMap,
    /// How its space is allocated.
    pub provisioning: DiskProvisioning,
}

/// An interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nic {
    /// Name, unique in the machine.
    pub name: String,
    /// What it is attached to, in the backend's own terms. Empty means as in the image.
    pub target: StringMap,
    /// MAC address, with colons. None means one derived from the identity.
    pub mac: Option<String>,
    /// A fixed address. None means that the network gives one.
    pub address: Option<Address>,
}

/// A fixed address and what the guest needs to use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// IPv4 or IPv6 address without the prefix.
    pub address: String,
    /// Prefix length in bits.
    pub prefix: u8,
    /// Default gateway.
    pub gateway: Option<String>,
    /// DNS servers.
    pub nameservers: Vec<String>,
    /// Search domain.
    pub domain: Option<String>,
}

/// What the guest gets on its first boot. Its user data may hold secrets: `Debug` shows its length.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Seed {
    /// Host name.
    pub hostname: String,
    /// Rendered user data.
    pub user_data: Option<String>,
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seed")
            .field("hostname", &self.hostname)
            .field("user_data_bytes", &self.user_data.as_ref().map(String::len))
            .finish()
    }
}
