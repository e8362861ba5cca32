//! What became of a VirtualMachine: where it runs, how it is reached, and a move under way.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{
    Condition, InitializationStatus, MachineAddress, PowerState, TypedObjectReference,
};

/// What became of the request. Written by the controller, always as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::for_api_server)]
pub struct VirtualMachineStatus {
    /// The generation of the spec that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// What the machine runs on. It changes only when the machine moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<Scheduled>,
    /// A move that is under way. Unset when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration: Option<Migration>,
    /// The machine object of the backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure_ref: Option<TypedObjectReference>,
    /// Whether the machine was provisioned once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialization: Option<InitializationStatus>,
    /// Addresses and names of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<MachineAddress>,
    /// Whether the machine runs, as the backend says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_power_state: Option<PowerState>,
    /// Endorsement key certificates of the machine's TPM, in PEM.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tpm_endorsement_certificates: Vec<String>,
    /// Fixed addresses that this machine holds; no other machine may use them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["interface".into()]))]
    pub held_addresses: Vec<HeldAddress>,
    /// Conditions, among them Ready, Scheduled, PlacementValid and InfrastructureReady.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

/// What a machine runs on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scheduled {
    /// Name of the Provider, in the namespace of the VirtualMachine.
    pub provider_name: String,
    /// Name of the ProviderClass.
    pub provider_class: String,
    /// Name of the failure domain.
    pub failure_domain: String,
    /// Digest of `spec.placement` as the place last satisfied it. Where the place no longer
    /// matches and the digest is still that of `spec.placement`, something else changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement_digest: Option<String>,
    /// What each storage class of the machine is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["className".into()]))]
    pub resolved_storage: Vec<ResolvedClass>,
    /// What each network class of the machine is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["className".into()]))]
    pub resolved_networks: Vec<ResolvedClass>,
}

/// What a class is on the backend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedClass {
    /// Name of the class.
    pub class_name: String,
    /// What the backend calls it.
    pub backend_id: String,
}

/// A move from one place to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Migration {
    /// Where the machine was.
    pub from: MachinePlace,
    /// Where the machine will be.
    pub to: MachinePlace,
    /// How far the move is.
    pub phase: MigrationPhase,
}

/// A place, and the machine object in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MachinePlace {
    /// Name of the Provider, in the namespace of the VirtualMachine.
    pub provider_name: String,
    /// Name of the failure domain.
    pub failure_domain: String,
    /// The machine object. Unset while there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_ref: Option<TypedObjectReference>,
    /// UID of the machine object; only the object with this UID is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_uid: Option<String>,
}

/// How far a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MigrationPhase {
    /// The old machine is being deleted.
    Deleting,
    /// The old machine is gone, the new one is being made.
    Creating,
}

/// A fixed address that a machine holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldAddress {
    /// Name of the interface.
    pub interface: String,
    /// Network class of the interface.
    pub network_class: String,
    /// The address, without a prefix.
    pub address: String,
}
