//! Group `infrastructure.banlieue.io`: the Cluster API infrastructure kinds of every backend.
//!
//! The kinds follow the Cluster API v1beta2 contract, so Cluster API machines use them directly;
//! the controller of `VirtualMachine` creates the same machine kinds. Every backend has the same
//! four kinds:
//!
//! | | machine | cluster | machine template | cluster template |
//! |---|---|---|---|---|
//! | [`vsphere`] | `VSphereMachine` | `VSphereCluster` | `VSphereMachineTemplate` | `VSphereClusterTemplate` |
//! | [`libvirt`] | `LibvirtMachine` | `LibvirtCluster` | `LibvirtMachineTemplate` | `LibvirtClusterTemplate` |
//! | [`sim`] | `SimMachine` | `SimCluster` | `SimMachineTemplate` | `SimClusterTemplate` |
//!
//! [`machine`], [`cluster`] and [`template`] hold what the backends share, [`served`] what a provider
//! process needs of a machine.

// A printer column repeats the keys of its neighbour, which the lint takes for a slip.
#![allow(clippy::duplicated_attributes)]

pub mod cluster;
pub mod libvirt;
pub mod machine;
pub mod served;
pub mod sim;
pub mod template;
pub mod vsphere;

pub use cluster::{
    ApiEndpoint, ClusterFailureDomain, InfraCluster, InfraClusterSpec, InfraClusterStatus,
};
pub use libvirt::{
    LibvirtCluster, LibvirtClusterSpec, LibvirtClusterTemplate, LibvirtClusterTemplateSpec,
    LibvirtMachine, LibvirtMachineSpec, LibvirtMachineStatus, LibvirtMachineTemplate,
    LibvirtMachineTemplateSpec,
};
pub use machine::{
    InfraMachine, InitializationStatus, MachineAddress, MachineAddressType, MachineStatusView,
};
pub use served::{MachineDisk, MachineNic, MachineReport, MachineSeen, ServedMachine};
pub use sim::{
    SimCluster, SimClusterSpec, SimClusterTemplate, SimClusterTemplateSpec, SimMachine,
    SimMachineSpec, SimMachineStatus, SimMachineTemplate, SimMachineTemplateSpec,
};
pub use template::{
    Architecture, MachineTemplateStatus, NodeInfo, TemplateMetadata, TemplateResource,
};
pub use vsphere::{
    VSphereCluster, VSphereClusterSpec, VSphereClusterTemplate, VSphereClusterTemplateSpec,
    VSphereMachine, VSphereMachineSpec, VSphereMachineStatus, VSphereMachineTemplate,
    VSphereMachineTemplateSpec,
};

/// CRD label by which Cluster API finds the versions that follow its v1beta2 contract. The value
/// is [`crate::VERSION`].
pub const CAPI_CONTRACT_LABEL: &str = "cluster.x-k8s.io/v1beta2";

#[cfg(test)]
mod tests;
