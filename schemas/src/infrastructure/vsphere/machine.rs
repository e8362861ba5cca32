//! `VSphereMachine`: one virtual machine in a vCenter.

use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

use super::{VSphereDisk, VSphereNetwork, VSpherePlacement};
use crate::common::{Condition, Firmware, LocalObjectReference, PowerState};
use crate::infrastructure::machine::{
    IMAGE_IMMUTABLE, IMAGE_IMMUTABLE_MESSAGE, InitializationStatus, MachineAddress,
    PROVIDER_ID_SET_ONCE, PROVIDER_ID_SET_ONCE_MESSAGE, PROVIDER_REF_SET_ONCE,
    PROVIDER_REF_SET_ONCE_MESSAGE, PROVISIONED_ONE_WAY, PROVISIONED_ONE_WAY_MESSAGE,
    impl_infra_machine,
};

/// Spec of a `VSphereMachine`. Image, hardware and a failure domain are enough: datacenter,
/// cluster, datastore, port groups, template and folders follow from the failure domain through
/// the Provider and the VMImage. Each can be set to override, and what applies is in
/// `status.placement`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema, CustomResource)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[kube(
    group = "infrastructure.banlieue.io",
    version = "v1alpha1",
    kind = "VSphereMachine",
    namespaced,
    status = "VSphereMachineStatus",
    derive = "PartialEq",
    shortname = "vsm",
    category = "banlieue",
    category = "cluster-api",
    label("cluster.x-k8s.io/v1beta2", "v1alpha1"),
    doc = "A virtual machine in a vCenter.",
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
pub struct VSphereMachineSpec {
    /// Identity of the VM, `vsphere://<instance-uuid>`. The provider sets it once the VM
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
    pub disks: Vec<VSphereDisk>,
    /// Interfaces, in the order the guest sees them.
    #[schemars(length(min = 1, max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network: Vec<VSphereNetwork>,
    /// Template to clone, by name, instead of the image's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub template: Option<String>,
    /// Inventory folder of the template, instead of the image's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub template_folder: Option<String>,
    /// Datacenter, instead of the failure domain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub datacenter: Option<String>,
    /// Compute cluster, instead of the failure domain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub cluster: Option<String>,
    /// Datastore of disks without a storage class, instead of the failure domain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 80))]
    pub datastore: Option<String>,
    /// Inventory folder of the VM, instead of the failure domain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub folder: Option<String>,
    /// Resource pool, instead of the failure domain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 512))]
    pub resource_pool: Option<String>,
    /// Who asked for the VM, from the annotation `banlieue.io/created-by`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub created_by: Option<String>,
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
pub struct VSphereMachineStatus {
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
    pub placement: Option<VSpherePlacement>,
    /// Managed object ID of the VM in the vCenter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub vm_ref: Option<String>,
    /// Instance UUID of the VM, the identity by which it is found again.
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

impl_infra_machine!(VSphereMachine, num_cpus, "banlieue.io/vspheremachine");
