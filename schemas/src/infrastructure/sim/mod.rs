//! The simulator: machines that exist only in memory, for tests and for trying things out.

mod cluster;
mod machine;
mod served;
mod templates;

pub use cluster::{SimCluster, SimClusterSpec};
pub use machine::{
    SimDisk, SimMachine, SimMachineSpec, SimMachineStatus, SimNetwork, SimPlacement,
};
pub use templates::{
    SimClusterTemplate, SimClusterTemplateSpec, SimMachineTemplate, SimMachineTemplateSpec,
};
