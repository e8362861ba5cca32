//! `LibvirtMachine`: one domain on a libvirt host.

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BootSource, LibvirtDisk, LibvirtNetwork, LibvirtPlacement};
use crate::common::{Condition, Firmware, LocalObjectReference, PowerState};
use crate::infrastructure::machine::{
    IMAGE_IMMUTABLE, IMAGE_IMMUTABLE_MESSAGE, InitializationStatus, MachineAddress,
    PROVIDER_ID_SET_ONCE, PROVIDER_ID_SET_ONCE_MESSAGE, PROVIDER_REF_SET_ONCE,
    PROVIDER_REF_SET_ONCE_MESSAGE, PROVISIONED_ONE_WAY, PROVISIONED_ONE_WAY_MESSAGE,
    impl_infra_machine,
};

/// Spec of a `LibvirtMachine`. Image, hardware and a failure domain are enough: host, pool, network
/// and boot volume follow from the failure domain through the Provider and the VMImage. Each can
/// be set to override, and what applies is in `status.placement`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema, CustomResource)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[kube(
    group = "infrastructure.banlieue.io",
    version = "v1alpha1",
    kind = "LibvirtMachine",
    namespaced,
    status = "LibvirtMachineStatus",
    derive = "PartialEq",
    shortname = "lvm",
    category = "banlieue",
    category = "cluster-api",
    label("cluster.x-k8s.io/v1beta2", "v1alpha1"),
    doc = "A domain on a libvirt host.",
    validation = Rule::new(PROVIDER_ID_SET_ONCE).message(PROVIDER_ID_SET_ONCE_MESSAGE),
    validation = Rule::new(PROVIDER_REF_SET_ONCE).message(PROVIDER_REF_SET_ONCE_MESSAGE),
    validation = Rule::new(IMAGE_IMMUTABLE).message(IMAGE_IMMUTABLE_MESSAGE),
    printcolumn(
        name = "Provider",
        type_ = "string",
        json_path = ".spec.providerRef.name"
    ),
    printcolumn(
        name = "Zone",
        type_ = "string",
        json_path = ".status.failureDomain"
    ),
    printcolumn(
        name = "Provisioned",
        type_ = "boolean",
        json_path = ".status.initialization.provisioned"
    ),
    printcolumn(
        name = "Power",
        type_ = "string",
        json_path = ".status.observedPowerState"
    ),
    printcolumn(
        name = "ProviderID",
        type_ = "string",
        json_path = ".spec.providerID",
        priority = 1
    ),
    printcolumn(
        name = "Cluster",
        type_ = "string",
        json_path = ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
        priority = 1
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct LibvirtMachineSpec {
    /// Identity of the VM, `libvirt://<provider-name>/<domain-uuid>`. The provider sets it once the VM
    /// exists, and it never changes.
    #[serde(
        rename = "providerID",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(length(min = 1, max = 512))]
    pub provider_id: Option<String>,
    /// Failure domain to run in, one that the Provider shows. Cluster API machines have it on
    /// their Machine, which decides before this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub failure_domain: Option<String>,
    /// Provider that makes the VM, in the same namespace. A machine of a Cluster API cluster may
    /// leave it out: the cluster's infrastructure and the failure domain then decide. It cannot
    /// change once it is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_ref: Option<LocalObjectReference>,
    /// VMImage to start from. Immutable.
    pub image_ref: LocalObjectReference,
    /// Virtual CPUs.
    #[schemars(range(min = 1, max = 256), extend("format" = "int32"))]
    pub vcpus: u32,
    /// Memory in MiB.
    #[serde(rename = "memoryMiB")]
    #[schemars(range(min = 128, max = 4_194_304), extend("format" = "int32"))]
    pub memory_mib: u32,
    /// Firmware.
    #[serde(default)]
    pub firmware: Firmware,
    /// Adds a virtual TPM 2.0.
    #[serde(default)]
    pub tpm_enabled: bool,
    /// Machine type, for example `q35`. Absent means the host's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub machine_type: Option<String>,
    /// Disks; the first is the system disk, made from the image.
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<LibvirtDisk>,
    /// Interfaces, in the order the guest sees them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network: Vec<LibvirtNetwork>,
    /// Storage pool of disks without a storage class, instead of the failure domain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub pool: Option<String>,
    /// Name of the domain on its host. Absent means one made from namespace and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 253),
        regex(pattern = "^[a-zA-Z0-9][-_.a-zA-Z0-9]*$")
    )]
    pub domain_name: Option<String>,
    /// Volume to boot from, instead of the image's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_source: Option<BootSource>,
    /// Rendered user data. The controller of VirtualMachines writes it; a Cluster API machine
    /// gets its data from the bootstrap Secret instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1_048_576))]
    pub user_data: Option<String>,
    /// Power state that the VM should have.
    #[serde(default)]
    pub desired_power_state: PowerState,
}

/// What the provider knows of the VM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new(PROVISIONED_ONE_WAY).message(PROVISIONED_ONE_WAY_MESSAGE))]
#[schemars(transform = crate::schema::for_api_server)]
pub struct LibvirtMachineStatus {
    /// Where the first provisioning stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialization: Option<InitializationStatus>,
    /// Failure domain that the VM is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    pub failure_domain: Option<String>,
    /// Addresses of the guest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub addresses: Vec<MachineAddress>,
    /// Power state as the backend last showed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_power_state: Option<PowerState>,
    /// What the failure domain, the image and the overrides came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<LibvirtPlacement>,
    /// UUID of the domain, the identity by which it is found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 36))]
    pub domain_uuid: Option<String>,
    /// Where `addresses` came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_source: Option<AddressSource>,
    /// Whether the installation medium was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install_media_detached: Option<bool>,
    /// Whether the virtual TPM was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tpm_attached: Option<bool>,
    /// Whether the guest reported that its installation ended. It stays true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest_installed: Option<bool>,
    /// Endorsement certificates of the virtual TPM, PEM.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8))]
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub tpm_endorsement_certificates: Vec<String>,
    /// Conditions, one of each type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// Where a guest's addresses were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AddressSource {
    /// The agent in the guest.
    GuestAgent,
    /// The DHCP leases of the libvirt network.
    DhcpLease,
    /// The ARP table of the host.
    ArpTable,
}

impl_infra_machine!(LibvirtMachine, vcpus, "banlieue.io/libvirtmachine");
