//! The machine object of the backend: class, overrides and place, put together.
//!
//! The object has the name and namespace of the VirtualMachine. One name means that a second
//! machine of one kind cannot come to be; that nothing is applied onto an object that is being
//! deleted is up to [`migration`](crate::migration), which waits while one is there.

mod network;
mod spec;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use banlieue_schemas::common::StringMap;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::infrastructure::{
    InfraMachine as _, LibvirtMachine, SimMachine, VSphereMachine,
};
use banlieue_schemas::labels;
use banlieue_schemas::platform::{Backend, VirtualMachine, VmClass};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::{Resource, ResourceExt};

pub use network::{Nic, nics};

use crate::hardware::{Hardware, HardwareError};
use crate::schedule::Placement;

/// What a machine object is made from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The VirtualMachine.
    pub vm: &'a VirtualMachine,
    /// Its class.
    pub class: &'a VmClass,
    /// Where it is made.
    pub placement: &'a Placement,
    /// Its user data, rendered.
    pub user_data: Option<&'a str>,
    /// Sizes in GiB of the disks that the machine object has, by name.
    pub existing_disks: &'a BTreeMap<String, u32>,
}

/// A machine object, ready to be applied.
#[derive(Clone, Debug, PartialEq)]
pub enum Machine {
    /// For a vCenter.
    VSphere(Box<VSphereMachine>),
    /// For a libvirt host.
    Libvirt(Box<LibvirtMachine>),
    /// For the simulator.
    Sim(Box<SimMachine>),
}

/// Why no machine object can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The hardware cannot be realised.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// The override names an interface that the class lacks.
    #[error("networkOverrides names interface {interface}, which the class does not have")]
    UnknownInterface {
        /// Name of the interface.
        interface: String,
    },
    /// The class wants a fixed address and the machine brings none.
    #[error("the class gives interface {interface} a fixed address: set it in networkOverrides")]
    NoAddress {
        /// Name of the interface.
        interface: String,
    },
    /// Two interfaces of the machine have one address.
    #[error("two interfaces in one network have the address {address}")]
    AddressTwice {
        /// The address.
        address: String,
    },
    /// Something that is not an address, or does not go with the address.
    #[error("interface {interface} cannot have {what} {value}")]
    InvalidAddress {
        /// Name of the interface.
        interface: String,
        /// Which part of it.
        what: &'static str,
        /// Its value.
        value: String,
    },
}

impl ResolveError {
    /// The reason that a condition gives.
    pub fn reason(&self) -> Reason {
        Reason::InvalidSpec
    }
}

/// The machine object. Equal input gives an equal object.
pub fn machine(input: &Input<'_>) -> Result<Machine, ResolveError> {
    let class = &input.class.spec;
    let mut hardware = Hardware::of(class, input.vm.spec.hardware_override.as_ref())?;
    hardware.grow_only(input.existing_disks);
    let nics = nics(class, &input.vm.spec.network_overrides, input.placement)?;
    Ok(match input.placement.backend {
        Backend::Vsphere => Machine::VSphere(Box::new(VSphereMachine {
            metadata: metadata(input, VSphereMachine::FINALIZER),
            spec: spec::vsphere(input, hardware, nics),
            status: None,
        })),
        Backend::Libvirt => Machine::Libvirt(Box::new(LibvirtMachine {
            metadata: metadata(input, LibvirtMachine::FINALIZER),
            spec: spec::libvirt(input, hardware, nics),
            status: None,
        })),
        Backend::Sim => Machine::Sim(Box::new(SimMachine {
            metadata: metadata(input, SimMachine::FINALIZER),
            spec: spec::sim(input, hardware, nics),
            status: None,
        })),
    })
}

/// The object is born with its finalizer, so that there is no moment in which it could vanish while
/// its provider works.
fn metadata(input: &Input<'_>, finalizer: &str) -> ObjectMeta {
    let owner = input
        .vm
        .controller_owner_ref(&())
        .map(|owner| OwnerReference {
            block_owner_deletion: Some(true),
            ..owner
        });
    ObjectMeta {
        name: Some(input.vm.name_any()),
        namespace: input.vm.namespace(),
        labels: Some(machine_labels(input)),
        owner_references: owner.map(|owner| vec![owner]),
        finalizers: Some(vec![finalizer.to_owned()]),
        ..ObjectMeta::default()
    }
}

/// The labels of the VirtualMachine, and ours, which win.
fn machine_labels(input: &Input<'_>) -> StringMap {
    let mut all = input.vm.labels().clone();
    all.insert(labels::PROVIDER.into(), input.placement.provider.clone());
    all.insert(labels::OWNED_BY.into(), input.vm.name_any());
    all
}
