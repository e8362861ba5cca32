//! libvirt: domains on a QEMU host.

mod cluster;
mod hardware;
mod machine;
mod templates;

pub use cluster::{LibvirtCluster, LibvirtClusterSpec};
pub use hardware::{
    BootSource, BootSourceKind, DiskBus, LibvirtDisk, LibvirtDiskPlacement, LibvirtNetwork,
    LibvirtNetworkPlacement, LibvirtPlacement, NetworkSource, NetworkSourceKind,
};
pub use machine::{AddressSource, LibvirtMachine, LibvirtMachineSpec, LibvirtMachineStatus};
pub use templates::{
    LibvirtClusterTemplate, LibvirtClusterTemplateSpec, LibvirtMachineTemplate,
    LibvirtMachineTemplateSpec,
};
