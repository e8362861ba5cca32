//! What a backend can be told to do with a machine.

use std::fmt;

use banlieue_schemas::common::PowerState;

use super::desired::{Desired, Disk, Hardware, Nic, Seed};

/// One thing to do. Closed: a new step does not compile until every backend says what it does.
///
/// Doing a step twice is harmless, and so is doing one that was half done before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make the machine from its image, stamped, switched off.
    Create(Box<Desired>),
    /// Give it these CPUs and this memory, and these interfaces.
    Configure {
        /// CPUs and memory. Firmware and TPM are as created.
        hardware: Hardware,
        /// All interfaces, those that stay included.
        nics: Vec<Nic>,
    },
    /// Add the disks that are missing and grow those that are smaller. None is removed or shrunk.
    Disks(Vec<Disk>),
    /// Write what the guest gets on its first boot.
    Seed {
        /// The data.
        seed: Seed,
        /// Interfaces, for the guest's network configuration.
        nics: Vec<Nic>,
    },
    /// Bring it to this power state.
    Power {
        /// The state.
        to: PowerState,
        /// Whether to pull the plug instead of asking the guest.
        hard: bool,
    },
    /// Detach what was not made for the machine, so that it survives.
    Detach,
    /// Remove the machine, its disks, seed, NVRAM and TPM state.
    Delete,
}

/// A [`Step`] without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// [`Step::Create`].
    Create,
    /// [`Step::Configure`].
    Configure,
    /// [`Step::Disks`].
    Disks,
    /// [`Step::Seed`].
    Seed,
    /// [`Step::Power`].
    Power,
    /// [`Step::Detach`].
    Detach,
    /// [`Step::Delete`].
    Delete,
}

impl Step {
    /// What kind of step it is.
    pub fn kind(&self) -> StepKind {
        match self {
            Self::Create(_) => StepKind::Create,
            Self::Configure { .. } => StepKind::Configure,
            Self::Disks(_) => StepKind::Disks,
            Self::Seed { .. } => StepKind::Seed,
            Self::Power { .. } => StepKind::Power,
            Self::Detach => StepKind::Detach,
            Self::Delete => StepKind::Delete,
        }
    }
}

impl StepKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Create,
        Self::Configure,
        Self::Disks,
        Self::Seed,
        Self::Power,
        Self::Detach,
        Self::Delete,
    ];

    /// A word for messages, spans and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Configure => "configure",
            Self::Disks => "disks",
            Self::Seed => "seed",
            Self::Power => "power",
            Self::Detach => "detach",
            Self::Delete => "delete",
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
