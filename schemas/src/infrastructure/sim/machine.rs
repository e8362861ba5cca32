//! `SimMachine`: one machine of the simulator.

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{Condition, Firmware, IpamSpec, LocalObjectReference, PowerState};
use crate::infrastructure::machine::{
    IMAGE_IMMUTABLE, IMAGE_IMMUTABLE_MESSAGE, InitializationStatus, MAC_PATTERN, MachineAddress,
    PROVIDER_ID_SET_ONCE, PROVIDER_ID_SET_ONCE_MESSAGE, PROVIDER_REF_SET_ONCE,
    PROVIDER_REF_SET_ONCE_MESSAGE, PROVISIONED_ONE_WAY, PROVISIONED_ONE_WAY_MESSAGE,
    ROW_NAME_PATTERN, impl_infra_machine,
};

/// Spec of a `SimMachine`: what every backend knows, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema, CustomResource)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[kube(
    group = "infrastructure.banlieue.io",
    version = "v1alpha1",
    kind = "SimMachine",
    namespaced,
    status = "SimMachineStatus",
    derive = "PartialEq",
    shortname = "simm",
    category = "banlieue",
    category = "cluster-api",
    label("cluster.x-k8s.io/v1beta2", "v1alpha1"),
    doc = "A machine of the simulator.",
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
pub struct SimMachineSpec {
    /// Identity of the VM, `sim://<provider-name>/<instance-uuid>`. The provider sets it once the VM
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
    pub num_cpus: u32,
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
    /// Disks; the first is the system disk, made from the image.
    #[schemars(length(min = 1, max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disks: Vec<SimDisk>,
    /// Interfaces, in the order the guest sees them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network: Vec<SimNetwork>,
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
pub struct SimMachineStatus {
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
    pub placement: Option<SimPlacement>,
    /// UUID of the instance, the identity by which it is found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 36))]
    pub instance_uuid: Option<String>,
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

/// A virtual disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SimDisk {
    /// Name, unique in the machine.
    #[schemars(length(min = 1, max = 63), regex(pattern = ROW_NAME_PATTERN))]
    pub name: String,
    /// Size in GiB. It can only grow.
    #[serde(rename = "sizeGiB")]
    #[schemars(range(min = 1, max = 65536), extend("format" = "int32"))]
    pub size_gib: u32,
    /// Storage class of the Provider. Absent means the failure domain's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub storage_class: Option<String>,
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SimNetwork {
    /// Name, unique in the machine.
    #[schemars(length(min = 1, max = 63), regex(pattern = ROW_NAME_PATTERN))]
    pub name: String,
    /// Network class of the Provider. Absent means the failure domain's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub network_class: Option<String>,
    /// MAC address, with colons. Absent means one derived from the machine's identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = MAC_PATTERN))]
    pub mac_address: Option<String>,
    /// How the interface gets its address; empty means DHCP.
    #[serde(default)]
    pub ipam: IpamSpec,
}

/// Where a machine is, as resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimPlacement {
    /// Provider that holds the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub provider: Option<String>,
    /// Simulated host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub host: Option<String>,
}

impl_infra_machine!(SimMachine, num_cpus, "banlieue.io/simmachine");
