//! What decisions about a VirtualMachine read of the machine objects that realise it.

use banlieue_schemas::INFRASTRUCTURE_GROUP;
use banlieue_schemas::common::TypedObjectReference;
use banlieue_schemas::infrastructure::{
    InfraMachine, LibvirtMachine, MachineStatusView, SimMachine, VSphereMachine,
};
use banlieue_schemas::platform::{Backend, MachinePlace};
use kube::ResourceExt;

/// A machine object of any backend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineObject<'a> {
    /// Its backend, and so its kind.
    pub backend: Backend,
    /// Its name.
    pub name: &'a str,
    /// Its UID.
    pub uid: &'a str,
    /// Its generation.
    pub generation: Option<i64>,
    /// Whether it is being deleted.
    pub terminating: bool,
    /// Provider that its spec names.
    pub provider: Option<&'a str>,
    /// Failure domain that its spec names.
    pub failure_domain: Option<&'a str>,
    /// What its provider says of it.
    pub status: MachineStatusView<'a>,
}

impl<'a> MachineObject<'a> {
    /// The view of a `VSphereMachine`.
    pub fn vsphere(machine: &'a VSphereMachine) -> Self {
        Self::of(Backend::Vsphere, machine)
    }

    /// The view of a `LibvirtMachine`.
    pub fn libvirt(machine: &'a LibvirtMachine) -> Self {
        Self::of(Backend::Libvirt, machine)
    }

    /// The view of a `SimMachine`.
    pub fn sim(machine: &'a SimMachine) -> Self {
        Self::of(Backend::Sim, machine)
    }

    fn of<M: InfraMachine + ResourceExt>(backend: Backend, machine: &'a M) -> Self {
        let metadata = machine.meta();
        Self {
            backend,
            name: metadata.name.as_deref().unwrap_or_default(),
            uid: metadata.uid.as_deref().unwrap_or_default(),
            generation: metadata.generation,
            terminating: metadata.deletion_timestamp.is_some(),
            provider: machine.provider_ref(),
            failure_domain: machine.failure_domain(),
            status: machine.status_view(),
        }
    }

    /// Whether its spec says that it is in this place.
    pub fn is_at(&self, provider: &str, failure_domain: &str) -> bool {
        self.provider == Some(provider) && self.failure_domain == Some(failure_domain)
    }

    /// How other objects refer to it.
    pub fn reference(&self) -> TypedObjectReference {
        reference(self.backend, self.name)
    }

    /// Its place, as a move records it.
    pub fn place(&self) -> MachinePlace {
        MachinePlace {
            provider_name: self.provider.unwrap_or_default().to_owned(),
            failure_domain: self.failure_domain.unwrap_or_default().to_owned(),
            machine_ref: Some(self.reference()),
            machine_uid: Some(self.uid.to_owned()),
        }
    }
}

/// Kind of the machine objects of a backend.
pub fn kind(backend: Backend) -> &'static str {
    match backend {
        Backend::Vsphere => "VSphereMachine",
        Backend::Libvirt => "LibvirtMachine",
        Backend::Sim => "SimMachine",
    }
}

/// Refers to a machine object in the namespace of whoever refers to it.
pub fn reference(backend: Backend, name: &str) -> TypedObjectReference {
    TypedObjectReference {
        api_group: INFRASTRUCTURE_GROUP.to_owned(),
        kind: kind(backend).to_owned(),
        name: name.to_owned(),
        namespace: None,
    }
}
