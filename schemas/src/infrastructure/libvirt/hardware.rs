//! Disks, interfaces and boot volume of a `LibvirtMachine`, and what their placement came to.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::IpamSpec;
use crate::infrastructure::machine::{MAC_PATTERN, ROW_NAME_PATTERN};

/// A volume to boot from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BootSource {
    /// How the volume is used.
    #[serde(default)]
    pub kind: BootSourceKind,
    /// Name of the volume in the machine's pool.
    #[schemars(length(min = 1, max = 253))]
    pub volume: String,
}

/// How a boot volume is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BootSourceKind {
    /// The system disk is an overlay on the volume.
    #[default]
    BackingVolume,
    /// The system disk is empty and the volume is an ISO to install from.
    InstallMedia,
}

/// A virtual disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LibvirtDisk {
    /// Name, unique in the machine.
    #[schemars(length(min = 1, max = 63), regex(pattern = ROW_NAME_PATTERN))]
    pub name: String,
    /// Size in GiB. It can only grow.
    #[serde(rename = "sizeGiB")]
    #[schemars(range(min = 1, max = 65536), extend("format" = "int32"))]
    pub size_gib: u32,
    /// Storage class of the Provider. Absent means the machine's pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub storage_class: Option<String>,
    /// Storage pool, instead of the storage class's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub pool: Option<String>,
    /// Bus that the guest sees the disk on.
    #[serde(default)]
    pub bus: DiskBus,
}

/// Bus of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiskBus {
    /// Paravirtual block device.
    #[default]
    Virtio,
    /// Paravirtual SCSI controller.
    Scsi,
    /// Emulated SATA controller.
    Sata,
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("has(self.networkClass) || has(self.source)")
    .message("one of networkClass and source must be set"))]
pub struct LibvirtNetwork {
    /// Name, unique in the machine.
    #[schemars(length(min = 1, max = 63), regex(pattern = ROW_NAME_PATTERN))]
    pub name: String,
    /// Network class of the Provider, which gives the source in the failure domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub network_class: Option<String>,
    /// What to attach to, instead of the network class's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<NetworkSource>,
    /// Device model. Absent means `virtio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub model: Option<String>,
    /// MAC address, with colons. Absent means one derived from the machine's identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = MAC_PATTERN))]
    pub mac_address: Option<String>,
    /// How the interface gets its address; empty means DHCP.
    #[serde(default)]
    pub ipam: IpamSpec,
}

/// What an interface attaches to on the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkSource {
    /// Kind of the source.
    #[serde(default)]
    pub kind: NetworkSourceKind,
    /// Name of the network or bridge.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// Kind of a network source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NetworkSourceKind {
    /// A network that libvirt manages.
    #[default]
    Network,
    /// A bridge of the host.
    Bridge,
}

/// Where a domain is, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibvirtPlacement {
    /// Provider that holds the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub provider: Option<String>,
    /// Name of the domain on its host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub domain_name: Option<String>,
    /// Storage pool of disks without a storage class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub pool: Option<String>,
    /// Volume that the domain boots from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_source: Option<BootSource>,
    /// Pool of each disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<LibvirtDiskPlacement>,
    /// Source of each interface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network: Vec<LibvirtNetworkPlacement>,
}

/// Where a disk is, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibvirtDiskPlacement {
    /// Name of the disk.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Storage pool.
    #[schemars(length(min = 1, max = 253))]
    pub pool: String,
}

/// What an interface is attached to, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibvirtNetworkPlacement {
    /// Name of the interface.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Network or bridge.
    pub source: NetworkSource,
}
