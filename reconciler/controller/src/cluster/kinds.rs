//! The kinds of infrastructure clusters.

use banlieue_kit::Kind;
use banlieue_schemas::infrastructure::{
    InfraCluster, InfraClusterStatus, LibvirtCluster, SimCluster, VSphereCluster,
};
use banlieue_schemas::platform::Backend;
use kube::core::object::HasStatus;

/// A kind of infrastructure cluster.
pub trait ClusterKind: Kind + InfraCluster + HasStatus<Status = InfraClusterStatus> {
    /// Name of the kind.
    const KIND: &'static str;
    /// Name of its reconciler.
    const NAME: &'static str;
    /// Backend of the kind.
    const BACKEND: Backend;
}

impl ClusterKind for VSphereCluster {
    const KIND: &'static str = "VSphereCluster";
    const NAME: &'static str = "vsphere_cluster";
    const BACKEND: Backend = Backend::Vsphere;
}

impl ClusterKind for LibvirtCluster {
    const KIND: &'static str = "LibvirtCluster";
    const NAME: &'static str = "libvirt_cluster";
    const BACKEND: Backend = Backend::Libvirt;
}

impl ClusterKind for SimCluster {
    const KIND: &'static str = "SimCluster";
    const NAME: &'static str = "sim_cluster";
    const BACKEND: Backend = Backend::Sim;
}
