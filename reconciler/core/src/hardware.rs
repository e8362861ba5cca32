//! CPUs, memory and disks of one machine.

use std::collections::BTreeMap;

use banlieue_schemas::platform::{Disk, HardwareOverride, VmClassSpec};

/// Why an override of the hardware cannot be realised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HardwareError {
    /// It names a disk that the class lacks.
    #[error("hardwareOverride names disk {disk}, which the class does not have")]
    UnknownDisk {
        /// Name of the disk.
        disk: String,
    },
    /// It makes a disk smaller.
    #[error("hardwareOverride gives disk {disk} {wanted} GiB, the class {class}: disks only grow")]
    DiskTooSmall {
        /// Name of the disk.
        disk: String,
        /// GiB that the override asks for.
        wanted: u32,
        /// GiB of the class.
        class: u32,
    },
}

/// Hardware of one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Virtual CPUs.
    pub cpus: u32,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// Disks; the first holds the operating system.
    pub disks: Vec<Disk>,
}

impl Hardware {
    /// Hardware as the class gives it.
    pub fn of_class(class: &VmClassSpec) -> Self {
        Self {
            cpus: class.hardware.cpus,
            memory_mib: class.hardware.memory_mib,
            disks: class.hardware.disks.clone(),
        }
    }

    /// Hardware of the class with what the machine overrides. CPUs and memory replace, disks are
    /// found by name and only grow.
    pub fn of(
        class: &VmClassSpec,
        overridden: Option<&HardwareOverride>,
    ) -> Result<Self, HardwareError> {
        let mut hardware = Self::of_class(class);
        let Some(overridden) = overridden else {
            return Ok(hardware);
        };
        hardware.cpus = overridden.cpus.unwrap_or(hardware.cpus);
        hardware.memory_mib = overridden.memory_mib.unwrap_or(hardware.memory_mib);
        for wanted in &overridden.disk_overrides {
            let mut disks = hardware.disks.iter_mut();
            let Some(disk) = disks.find(|disk| disk.name == wanted.name) else {
                return Err(HardwareError::UnknownDisk {
                    disk: wanted.name.clone(),
                });
            };
            if wanted.size_gib < disk.size_gib {
                return Err(HardwareError::DiskTooSmall {
                    disk: disk.name.clone(),
                    wanted: wanted.size_gib,
                    class: disk.size_gib,
                });
            }
            disk.size_gib = wanted.size_gib;
        }
        Ok(hardware)
    }

    /// Keeps disks at least as large as they are. A class with smaller disks shrinks nothing.
    pub fn grow_only(&mut self, existing: &BTreeMap<String, u32>) {
        for disk in &mut self.disks {
            if let Some(size) = existing.get(&disk.name) {
                disk.size_gib = disk.size_gib.max(*size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;
    use crate::fixtures::{class, object};

    fn with(overridden: serde_json::Value) -> Result<Hardware, HardwareError> {
        let overridden: HardwareOverride = object(overridden);
        Hardware::of(&class().spec, Some(&overridden))
    }

    #[test]
    fn an_override_replaces_cpus_and_memory_and_grows_disks() {
        let hardware = with(json!({
            "cpus": 8, "diskOverrides": [{ "name": "os", "sizeGiB": 40 }],
        }))
        .unwrap();
        assert_eq!((hardware.cpus, hardware.memory_mib), (8, 2048));
        assert_eq!(hardware.disks[0].size_gib, 40);
    }

    #[test]
    fn a_disk_that_is_unknown_or_shrinks_is_an_error() {
        let error = |name: &str, size: u32| {
            let overridden = json!({ "diskOverrides": [{ "name": name, "sizeGiB": size }] });
            with(overridden).unwrap_err().to_string()
        };
        assert_eq!(
            error("data", 40),
            "hardwareOverride names disk data, which the class does not have"
        );
        assert_eq!(
            error("os", 10),
            "hardwareOverride gives disk os 10 GiB, the class 20: disks only grow"
        );
    }

    #[test]
    fn a_class_with_smaller_disks_shrinks_nothing() {
        let mut hardware = Hardware::of_class(&class().spec);
        hardware.grow_only(&BTreeMap::from([("os".into(), 50), ("gone".into(), 9)]));
        assert_eq!(hardware.disks[0].size_gib, 50);
        hardware.grow_only(&BTreeMap::from([("os".into(), 30)]));
        assert_eq!(hardware.disks[0].size_gib, 50);
    }
}
