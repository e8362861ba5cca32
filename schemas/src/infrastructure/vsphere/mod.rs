//! vSphere: virtual machines behind a vCenter.

mod cluster;
mod hardware;
mod machine;
mod templates;

pub use cluster::{VSphereCluster, VSphereClusterSpec};
pub use hardware::{
    VSphereDisk, VSphereDiskPlacement, VSphereNetwork, VSphereNetworkPlacement, VSpherePlacement,
};
pub use machine::{VSphereMachine, VSphereMachineSpec, VSphereMachineStatus};
pub use templates::{
    VSphereClusterTemplate, VSphereClusterTemplateSpec, VSphereMachineTemplate,
    VSphereMachineTemplateSpec,
};
