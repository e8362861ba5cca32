//! Disks and interfaces of a `VSphereMachine`, and what their placement came to.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{DiskProvisioning, IpamSpec};
use crate::infrastructure::machine::{MAC_PATTERN, ROW_NAME_PATTERN};

/// A virtual disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VSphereDisk {
    /// Name, unique in the machine.
    #[schemars(length(min = 1, max = 63), regex(pattern = ROW_NAME_PATTERN))]
    pub name: String,
    /// Size in GiB. It can only grow.
    #[serde(rename = "sizeGiB")]
    #[schemars(range(min = 1, max = 65536), extend("format" = "int32"))]
    pub size_gib: u32,
    /// Storage class of the Provider. Absent means the machine's datastore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub storage_class: Option<String>,
    /// How the space is allocated.
    #[serde(default)]
    pub provisioning: DiskProvisioning,
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("has(self.networkClass) || has(self.portGroup)")
    .message("one of networkClass and portGroup must be set"))]
pub struct VSphereNetwork {
    /// Name, unique in the machine.
    #[schemars(length(min = 1, max = 63), regex(pattern = ROW_NAME_PATTERN))]
    pub name: String,
    /// Network class of the Provider, which gives the port group of the failure domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub network_class: Option<String>,
    /// Port group, instead of the network class's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub port_group: Option<String>,
    /// MAC address, with colons. Absent means that the vCenter gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = MAC_PATTERN))]
    pub mac_address: Option<String>,
    /// How the interface gets its address; empty means DHCP.
    #[serde(default)]
    pub ipam: IpamSpec,
}

/// Where a VM is, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct VSpherePlacement {
    /// Provider that holds the VM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub provider: Option<String>,
    /// Datacenter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub datacenter: Option<String>,
    /// Compute cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub cluster: Option<String>,
    /// Datastore of disks without a storage class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub datastore: Option<String>,
    /// Inventory folder of the VM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub folder: Option<String>,
    /// Resource pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub resource_pool: Option<String>,
    /// Template that the VM was cloned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub template: Option<String>,
    /// Inventory folder of that template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub template_folder: Option<String>,
    /// Datastore of each disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<VSphereDiskPlacement>,
    /// Port group of each interface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network: Vec<VSphereNetworkPlacement>,
}

/// Where a disk is, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VSphereDiskPlacement {
    /// Name of the disk.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Datastore.
    #[schemars(length(min = 1, max = 80))]
    pub datastore: String,
}

/// What an interface is attached to, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VSphereNetworkPlacement {
    /// Name of the interface.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Port group.
    #[schemars(length(min = 1, max = 80))]
    pub port_group: String,
}
