//! `VMClass`: the shape of a virtual machine.

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{DiskProvisioning, Firmware, PoolIpam, SubnetDefaults};

/// What a platform engineer offers as a shape.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, CustomResource, KubeSchema,
)]
#[kube(
    group = "banlieue.io",
    version = "v1alpha1",
    kind = "VMClass",
    root = "VmClass",
    plural = "vmclasses",
    derive = "PartialEq",
    shortname = "vmc",
    category = "banlieue",
    doc = "A VMClass is the shape of a virtual machine: CPUs, memory, disks, interfaces and firmware, in names that every Provider translates.",
    printcolumn(name = "CPUs", type_ = "integer", json_path = ".spec.hardware.cpus"),
    printcolumn(
        name = "MemoryMiB",
        type_ = "integer",
        json_path = ".spec.hardware.memoryMiB"
    ),
    printcolumn(name = "Firmware", type_ = "string", json_path = ".spec.firmware"),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::for_api_server)]
#[x_kube(validation = Rule::new(
    "!has(self.tpmEnabled) || !self.tpmEnabled || self.firmware != 'bios'"
).message("tpmEnabled needs firmware efi or efi-secure"))]
pub struct VmClassSpec {
    /// CPUs, memory and disks.
    pub hardware: Hardware,
    /// Interfaces.
    pub network: Network,
    /// Firmware: bios, efi, or efi-secure, which is UEFI with Secure Boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "efi"))]
    pub firmware: Option<Firmware>,
    /// Features that the failure domain must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 63)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub features: Vec<String>,
    /// When true, the machine has a virtual TPM 2.0. The failure domain must have the feature
    /// `vtpm`, the firmware must be UEFI, and the image must install on first boot, because a
    /// clone would share the TPM's keys. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tpm_enabled: Option<bool>,
}

impl VmClassSpec {
    /// The firmware, with the default filled in.
    pub fn firmware(&self) -> Firmware {
        self.firmware.unwrap_or_default()
    }

    /// Whether the machine has a virtual TPM.
    pub fn tpm_enabled(&self) -> bool {
        self.tpm_enabled.unwrap_or_default()
    }
}

/// CPUs, memory and disks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hardware {
    /// Virtual CPUs.
    #[schemars(range(min = 1, max = 256))]
    pub cpus: u32,
    /// Memory in MiB.
    #[serde(rename = "memoryMiB")]
    #[schemars(range(min = 128, max = 4_194_304))]
    pub memory_mib: u32,
    /// Disks. The first holds the operating system.
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<Disk>,
}

/// A disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Disk {
    /// Name, unique in the class.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Size in GiB.
    #[serde(rename = "sizeGiB")]
    #[schemars(range(min = 1, max = 65_536))]
    pub size_gib: u32,
    /// Storage class, as Providers declare it.
    #[schemars(length(min = 1, max = 63))]
    pub storage_class: String,
    /// How the space is allocated: thin as the guest writes, thick reserved, eagerZeroed reserved
    /// and zeroed before the first use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "thin"))]
    pub provisioning: Option<DiskProvisioning>,
}

impl Disk {
    /// How the space is allocated, with the default filled in.
    pub fn provisioning(&self) -> DiskProvisioning {
        self.provisioning.unwrap_or_default()
    }
}

/// Interfaces of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Network {
    /// Interfaces, in the order in which the guest sees them.
    #[schemars(length(min = 1, max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub interfaces: Vec<Interface>,
}

/// An interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Interface {
    /// Name, unique in the class.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Network class, as Providers declare it.
    #[schemars(length(min = 1, max = 63))]
    pub network_class: String,
    /// How the interface gets its address. Unset or empty means DHCP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipam: Option<IpamShape>,
    /// Largest packet in bytes. Unset means what the network has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 68, max = 65_535))]
    pub mtu: Option<u32>,
}

/// How interfaces of a class get their addresses. Neither field set means DHCP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("!(has(self.static) && has(self.pool))")
    .message("static and pool exclude each other"))]
pub struct IpamShape {
    /// Fixed addresses. Each VirtualMachine brings its own; this is what they share.
    #[serde(default, rename = "static", skip_serializing_if = "Option::is_none")]
    pub fixed: Option<SubnetDefaults>,
    /// Addresses from a Cluster API IPAM pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolIpam>,
}
