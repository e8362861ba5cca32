//! What the one provider process needs of a machine kind, whichever its backend.

use kube::core::object::HasStatus;

use crate::common::{Condition, DiskProvisioning, Firmware, IpamSpec, PowerState, StringMap};
use crate::infrastructure::{InfraMachine, MachineAddress};
use crate::platform::Backend;

/// A machine kind that a provider process serves.
pub trait ServedMachine: InfraMachine + HasStatus {
    /// Backend of the kind.
    const BACKEND: Backend;
    /// Kind, as in a manifest.
    const KIND: &'static str;

    /// Sets `spec.providerID`, in memory.
    fn set_provider_id(&mut self, id: String);
    /// Firmware.
    fn firmware(&self) -> Firmware;
    /// Whether there is a virtual TPM.
    fn tpm_enabled(&self) -> bool;
    /// Disks; the first is made from the image.
    fn disks(&self) -> Vec<MachineDisk<'_>>;
    /// Interfaces, in the order in which the guest sees them.
    fn nics(&self) -> Vec<MachineNic<'_>>;
    /// What the machine itself says about its place, in the terms of the failure domain's
    /// `attributes.raw`. It wins over the failure domain.
    fn place(&self) -> StringMap {
        StringMap::new()
    }
    /// What the backend calls the image that the machine asks for instead of its VMImage's.
    fn own_image(&self) -> Option<&str> {
        None
    }
    /// The whole status after a report. Whatever the report does not speak of stays as it was, and
    /// what is one-way stays true.
    fn reported(&self, report: MachineReport<'_>) -> Self::Status;
}

/// A disk of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineDisk<'a> {
    /// Name, unique in the machine.
    pub name: &'a str,
    /// Size in GiB.
    pub size_gib: u32,
    /// Storage class of the Provider.
    pub storage_class: Option<&'a str>,
    /// Where it lies, in the backend's own terms, instead of what the class says.
    pub target: StringMap,
    /// How its space is allocated.
    pub provisioning: DiskProvisioning,
}

/// An interface of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineNic<'a> {
    /// Name, unique in the machine.
    pub name: &'a str,
    /// Network class of the Provider.
    pub network_class: Option<&'a str>,
    /// What it is attached to, in the backend's own terms, instead of what the class says.
    pub target: StringMap,
    /// MAC address.
    pub mac: Option<&'a str>,
    /// How it gets its address.
    pub ipam: &'a IpamSpec,
}

/// What a provider has to say about a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineReport<'a> {
    /// The machine as its backend shows it. `None` while that is not known, or there is none:
    /// what was known last stays.
    pub seen: Option<MachineSeen<'a>>,
    /// The machine is as its spec asks. One-way: false does not take it back.
    pub provisioned: bool,
    /// All conditions.
    pub conditions: Vec<Condition>,
    /// Generation of the spec that was looked at.
    pub observed_generation: Option<i64>,
}

/// A machine as its backend shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSeen<'a> {
    /// UUID by which the backend knows it.
    pub uuid: String,
    /// Name of the Provider.
    pub provider: &'a str,
    /// Failure domain.
    pub failure_domain: &'a str,
    /// Host, where the backend tells.
    pub host: Option<&'a str>,
    /// Where it is, in the backend's own terms.
    pub place: &'a StringMap,
    /// Power state.
    pub power: PowerState,
    /// Addresses of the guest, in a stable order.
    pub addresses: &'a [MachineAddress],
    /// Whether it has a virtual TPM.
    pub tpm: bool,
    /// Whether the guest said that it is up. `None` where the backend cannot know.
    pub guest_up: Option<bool>,
}
