//! What a backend can do, as data.

/// What a backend can do beyond making, running and removing a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each one is independent of the others
pub struct Capabilities {
    /// Machines can be suspended.
    pub suspend: bool,
    /// UEFI with Secure Boot.
    pub secure_boot: bool,
    /// Virtual TPMs.
    pub tpm: bool,
    /// CPUs can be added while the machine runs.
    pub hot_add_cpus: bool,
    /// Memory can be added while the machine runs.
    pub hot_add_memory: bool,
    /// Disks can be added and grown while the machine runs.
    pub hot_disks: bool,
    /// Interfaces can be added and changed while the machine runs.
    pub hot_nics: bool,
    /// Most bytes of user data that reach a guest.
    pub max_user_data: usize,
}
