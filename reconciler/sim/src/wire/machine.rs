//! Machines on the wire.

use std::time::Duration;

use banlieue_backend::Progress as Progressed;
use banlieue_core::machine as contract;
use banlieue_schemas::common::{DiskProvisioning, Firmware, MachineAddress, PowerState, StringMap};
use serde::{Deserialize, Serialize};

use super::cross::{Cross, mirror};
use crate::world::state::StepWord;

mirror!(Desired of contract::Desired {
    name: String,
    zone: String,
    place: StringMap,
    image: String,
    hardware: Hardware,
    disks: Vec<Disk>,
    nics: Vec<Nic>,
    seed: Seed,
    power: PowerState,
});

mirror!(Hardware of contract::Hardware {
    cpus: u32,
    memory_mib: u32,
    firmware: Firmware,
    tpm: bool,
});

mirror!(Disk of contract::Disk {
    name: String,
    size_gib: u32,
    target: StringMap,
    provisioning: DiskProvisioning,
});

mirror!(Nic of contract::Nic {
    name: String,
    target: StringMap,
    mac: Option<String>,
    address: Option<FixedAddress>,
});

mirror!(FixedAddress of contract::Address {
    address: String,
    prefix: u8,
    gateway: Option<String>,
    nameservers: Vec<String>,
    domain: Option<String>,
});

mirror!(Seed of contract::Seed {
    hostname: String,
    user_data: Option<String>,
});

mirror!(Observed of contract::Observed {
    stamp: Stamp,
    defined: bool,
    place: StringMap,
    host: Option<String>,
    in_flight: Option<InFlight>,
    power: PowerState,
    hardware: Hardware,
    disks: Vec<ObservedDisk>,
    nics: Vec<ObservedNic>,
    seeded: bool,
    strangers_attached: bool,
    addresses: Vec<MachineAddress>,
    guest_up: Option<bool>,
});

mirror!(InFlight of contract::InFlight {
    step: StepWord,
    handle: String,
});

mirror!(ObservedDisk of contract::ObservedDisk {
    name: String,
    size_gib: u32,
});

mirror!(ObservedNic of contract::ObservedNic {
    name: String,
    mac: String,
});

/// Whose machine it is.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stamp {
    Ours,
    Foreign,
}

/// A step.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Step {
    Create(Box<Desired>),
    Configure { hardware: Hardware, nics: Vec<Nic> },
    Disks(Vec<Disk>),
    Seed { seed: Seed, nics: Vec<Nic> },
    Power { to: PowerState, hard: bool },
    Detach,
    Delete,
}

/// How far a step is.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Progress {
    Done,
    InFlight { handle: String, look_again_ms: u64 },
}

impl Cross<contract::StepKind> for StepWord {
    fn cross(self) -> contract::StepKind {
        self.0
    }
}

impl Cross<StepWord> for contract::StepKind {
    fn cross(self) -> StepWord {
        StepWord(self)
    }
}

impl Cross<contract::Stamp> for Stamp {
    fn cross(self) -> contract::Stamp {
        match self {
            Self::Ours => contract::Stamp::Ours,
            Self::Foreign => contract::Stamp::Foreign,
        }
    }
}

impl Cross<Stamp> for contract::Stamp {
    fn cross(self) -> Stamp {
        match self {
            Self::Ours => Stamp::Ours,
            Self::Foreign => Stamp::Foreign,
        }
    }
}

impl Cross<contract::Step> for Step {
    fn cross(self) -> contract::Step {
        match self {
            Self::Create(desired) => contract::Step::Create(desired.cross()),
            Self::Configure { hardware, nics } => contract::Step::Configure {
                hardware: hardware.cross(),
                nics: nics.cross(),
            },
            Self::Disks(disks) => contract::Step::Disks(disks.cross()),
            Self::Seed { seed, nics } => contract::Step::Seed {
                seed: seed.cross(),
                nics: nics.cross(),
            },
            Self::Power { to, hard } => contract::Step::Power { to, hard },
            Self::Detach => contract::Step::Detach,
            Self::Delete => contract::Step::Delete,
        }
    }
}

impl Cross<Step> for contract::Step {
    fn cross(self) -> Step {
        match self {
            Self::Create(desired) => Step::Create(desired.cross()),
            Self::Configure { hardware, nics } => Step::Configure {
                hardware: hardware.cross(),
                nics: nics.cross(),
            },
            Self::Disks(disks) => Step::Disks(disks.cross()),
            Self::Seed { seed, nics } => Step::Seed {
                seed: seed.cross(),
                nics: nics.cross(),
            },
            Self::Power { to, hard } => Step::Power { to, hard },
            Self::Detach => Step::Detach,
            Self::Delete => Step::Delete,
        }
    }
}

impl Cross<Progressed> for Progress {
    fn cross(self) -> Progressed {
        match self {
            Self::Done => Progressed::Done,
            Self::InFlight {
                handle,
                look_again_ms,
            } => Progressed::InFlight {
                handle,
                look_again: Duration::from_millis(look_again_ms),
            },
        }
    }
}

impl Cross<Progress> for Progressed {
    fn cross(self) -> Progress {
        match self {
            Self::Done => Progress::Done,
            Self::InFlight { handle, look_again } => Progress::InFlight {
                handle,
                look_again_ms: u64::try_from(look_again.as_millis()).unwrap_or(u64::MAX),
            },
        }
    }
}
