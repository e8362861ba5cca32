//! What a backend shows of one machine.

use banlieue_schemas::common::{MachineAddress, PowerState, StringMap};

use super::desired::Hardware;
use super::step::StepKind;

/// A machine as its backend shows it. Whoever observes fills in what is there, all of it.
///
/// It stands for the machine and for everything that was made for it: a disk or a seed that outlives
/// the machine is observed, too, with `defined` false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Whether the machine carries our stamp.
    pub stamp: Stamp,
    /// Whether the machine itself exists, complete. False while it is being created, and when only
    /// disks or seeds of it are left.
    pub defined: bool,
    /// Where it is, in the backend's own terms.
    pub place: StringMap,
    /// Host it is on, where the backend tells.
    pub host: Option<String>,
    /// Work that the backend is still doing on it.
    pub in_flight: Option<InFlight>,
    /// Whether it runs.
    pub power: PowerState,
    /// CPUs, memory, firmware.
    pub hardware: Hardware,
    /// Its disks.
    pub disks: Vec<ObservedDisk>,
    /// Its interfaces.
    pub nics: Vec<ObservedNic>,
    /// Whether the seed was written. A guest reads it once, so it is never written again.
    pub seeded: bool,
    /// Whether something that was not made for it is attached: a disk of a person, for example.
    pub strangers_attached: bool,
    /// Addresses and names of the guest, in a stable order.
    pub addresses: Vec<MachineAddress>,
    /// Whether the guest said that it is up. None where the backend cannot know.
    pub guest_up: Option<bool>,
}

/// Whose machine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// It carries the UID of our object.
    Ours,
    /// It has our UUID or our place, but not our stamp. It is never touched.
    Foreign,
}

/// Work that a backend is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// What it does.
    pub step: StepKind,
    /// What the backend calls the work: found again after a restart by the stamp on the machine.
    pub handle: String,
}

/// A disk that is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedDisk {
    /// Name, as in what was wanted.
    pub name: String,
    /// Size in GiB.
    pub size_gib: u32,
}

/// An interface that is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedNic {
    /// Name, as in what was wanted.
    pub name: String,
    /// MAC address, lower case, with colons.
    pub mac: String,
}
