//! `VirtualMachine`: a machine, in terms that hold on every backend.

mod status;

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::status::*;
use crate::common::{
    KeySelector, LabelSelector, LocalObjectReference, PoolIpam, PowerState, StaticIpam,
};

/// What a user asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "banlieue.io",
    version = "v1alpha1",
    kind = "VirtualMachine",
    namespaced,
    status = "VirtualMachineStatus",
    derive = "PartialEq",
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name must have at most 63 characters, because it becomes a label value"),
    shortname = "vm",
    category = "banlieue",
    doc = "A VirtualMachine is a machine in terms that hold on every backend: a shape, an image, and where it may run.",
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.classRef.name"),
    printcolumn(name = "Image", type_ = "string", json_path = ".spec.imageRef.name"),
    printcolumn(
        name = "Provider",
        type_ = "string",
        json_path = ".status.scheduled.providerName"
    ),
    printcolumn(
        name = "FailureDomain",
        type_ = "string",
        json_path = ".status.scheduled.failureDomain",
        priority = 1
    ),
    printcolumn(
        name = "Power",
        type_ = "string",
        json_path = ".status.observedPowerState"
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct VirtualMachineSpec {
    /// The VMClass that gives the shape. It may change: CPUs and memory at once where the zone
    /// allows it, else at the next power-off. Disks only grow.
    pub class_ref: LocalObjectReference,
    /// The VMImage that gives the operating system. Immutable.
    #[x_kube(validation = Rule::new("self == oldSelf").message("imageRef is immutable"))]
    pub image_ref: LocalObjectReference,
    /// Where the machine may run. Unset means on every Provider of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// Whether the machine runs: PoweredOn, PoweredOff or Suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "PoweredOn"))]
    pub desired_power_state: Option<PowerState>,
    /// What the guest gets on its first boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_data: Option<UserDataSource>,
    /// When a machine is made again somewhere else. onSpecChange: when an edit of this object's
    /// placement no longer matches where the machine is. automatic: also when something else
    /// changed so that it no longer matches. manual: only with the annotation
    /// `banlieue.io/migrate: "true"`, which is removed after use. never: not at all. A machine that
    /// is made again loses its disks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "onSpecChange"))]
    pub migration_policy: Option<MigrationPolicy>,
    /// When true, nothing is done to the machine until it is unset. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Addresses of single interfaces, instead of what the class says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network_overrides: Vec<NetworkOverride>,
    /// Hardware of this machine, instead of what the class says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_override: Option<HardwareOverride>,
    /// Folder in which vSphere keeps the machine. Unset means the folder of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub folder: Option<String>,
}

impl VirtualMachineSpec {
    /// Whether the machine is to run, with the default filled in.
    pub fn desired_power_state(&self) -> PowerState {
        self.desired_power_state.unwrap_or_default()
    }

    /// When the machine is made again, with the default filled in.
    pub fn migration_policy(&self) -> MigrationPolicy {
        self.migration_policy.unwrap_or_default()
    }
}

/// Where a machine may run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Placement {
    /// Selects Providers by their labels. Unset or empty means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_selector: Option<LabelSelector>,
    /// Selects failure domains by their labels. Unset or empty means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_domain_selector: Option<LabelSelector>,
    /// Machines of the namespace to stay away from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub anti_affinity: Vec<AntiAffinity>,
}

/// Machines to stay away from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AntiAffinity {
    /// Label of failure domains. Two machines with the same value of it are too close.
    #[schemars(length(min = 1, max = 317))]
    pub topology_key: String,
    /// Selects the other machines. The machine itself never counts.
    pub label_selector: LabelSelector,
    /// required: no place is better than a close one. preferred: a close place is better than none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "required"))]
    pub mode: Option<AntiAffinityMode>,
}

impl AntiAffinity {
    /// How strict the rule is, with the default filled in.
    pub fn mode(&self) -> AntiAffinityMode {
        self.mode.unwrap_or_default()
    }
}

/// How strict an anti-affinity is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AntiAffinityMode {
    /// No place is better than a close one.
    #[default]
    Required,
    /// A close place is better than none.
    Preferred,
}

/// Where user data comes from. Exactly one source is set; the key is `user-data` unless given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("has(self.secretRef) != has(self.configMapRef)")
    .message("exactly one of secretRef and configMapRef must be set"))]
pub struct UserDataSource {
    /// A Secret in the namespace of the VirtualMachine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<KeySelector>,
    /// A ConfigMap in the namespace of the VirtualMachine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<KeySelector>,
}

/// When a machine is made again somewhere else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MigrationPolicy {
    /// When an edit of the object's own placement no longer matches where the machine is.
    #[default]
    OnSpecChange,
    /// Also when something else changed so that it no longer matches.
    Automatic,
    /// Only with the annotation `banlieue.io/migrate: "true"`.
    Manual,
    /// Not at all.
    Never,
}

/// The address of one interface. Exactly one source is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("has(self.static) != has(self.pool)")
    .message("exactly one of static and pool must be set"))]
pub struct NetworkOverride {
    /// Name of the interface in the class.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// A fixed address.
    #[serde(default, rename = "static", skip_serializing_if = "Option::is_none")]
    pub fixed: Option<StaticIpam>,
    /// An address from a Cluster API IPAM pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolIpam>,
}

/// Hardware of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HardwareOverride {
    /// Virtual CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256))]
    pub cpus: Option<u32>,
    /// Memory in MiB.
    #[serde(default, rename = "memoryMiB", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 128, max = 4_194_304))]
    pub memory_mib: Option<u32>,
    /// Sizes of single disks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub disk_overrides: Vec<DiskOverride>,
}

/// Size of one disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiskOverride {
    /// Name of the disk in the class.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Size in GiB. It may only grow, and not below the size in the class.
    #[serde(rename = "sizeGiB")]
    #[schemars(range(min = 1, max = 65_536))]
    #[x_kube(validation = Rule::new("self >= oldSelf").message("a disk can only grow"))]
    pub size_gib: u32,
}
