//! A machine object of any backend, as it is stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use banlieue_core::machine_object::{MachineObject, kind};
use banlieue_kit::delete::{Deleted, Precondition, delete};
use banlieue_kit::errors::ApiError;
use banlieue_kit::{Client, Guarded, Kind, read};
use banlieue_schemas::common::TypedObjectReference;
use banlieue_schemas::infrastructure::{InfraMachine, LibvirtMachine, SimMachine, VSphereMachine};
use banlieue_schemas::platform::{Backend, VirtualMachine};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::watched::MachineWatches;

/// A stored machine object. It may be one that does not parse.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    /// Of a vCenter.
    VSphere(Guarded<VSphereMachine>),
    /// Of a libvirt host.
    Libvirt(Guarded<LibvirtMachine>),
    /// Of a simulator.
    Sim(Guarded<SimMachine>),
}

impl Stored {
    pub(super) fn meta(&self) -> &ObjectMeta {
        match self {
            Self::VSphere(machine) => machine.meta(),
            Self::Libvirt(machine) => machine.meta(),
            Self::Sim(machine) => machine.meta(),
        }
    }

    pub(super) fn backend(&self) -> Backend {
        match self {
            Self::VSphere(_) => Backend::Vsphere,
            Self::Libvirt(_) => Backend::Libvirt,
            Self::Sim(_) => Backend::Sim,
        }
    }

    /// `SimMachine name`, for messages.
    pub(super) fn describe(&self) -> String {
        let name = self.meta().name.as_deref().unwrap_or_default();
        format!("{} {name}", kind(self.backend()))
    }

    /// What decisions look at, `None` if the object does not parse.
    pub(super) fn view(&self) -> Option<MachineObject<'_>> {
        match self {
            Self::VSphere(machine) => machine
                .valid()
                .map(|machine| MachineObject::vsphere(machine)),
            Self::Libvirt(machine) => machine
                .valid()
                .map(|machine| MachineObject::libvirt(machine)),
            Self::Sim(machine) => machine.valid().map(|machine| MachineObject::sim(machine)),
        }
    }

    pub(super) fn vsphere(&self) -> Option<&Arc<VSphereMachine>> {
        match self {
            Self::VSphere(machine) => machine.valid(),
            Self::Libvirt(_) | Self::Sim(_) => None,
        }
    }

    pub(super) fn libvirt(&self) -> Option<&Arc<LibvirtMachine>> {
        match self {
            Self::Libvirt(machine) => machine.valid(),
            Self::VSphere(_) | Self::Sim(_) => None,
        }
    }

    pub(super) fn sim(&self) -> Option<&Arc<SimMachine>> {
        match self {
            Self::Sim(machine) => machine.valid(),
            Self::VSphere(_) | Self::Libvirt(_) => None,
        }
    }

    pub(super) fn uid(&self) -> &str {
        self.meta().uid.as_deref().unwrap_or_default()
    }

    /// The user data that the machine was made with.
    pub(super) fn user_data(&self) -> Option<&str> {
        match self {
            Self::VSphere(machine) => machine.valid()?.user_data(),
            Self::Libvirt(machine) => machine.valid()?.user_data(),
            Self::Sim(machine) => machine.valid()?.user_data(),
        }
    }

    /// Sizes in GiB of its disks, by name.
    pub(super) fn disks(&self) -> BTreeMap<String, u32> {
        macro_rules! sizes {
            ($machine:expr) => {
                $machine
                    .valid()
                    .into_iter()
                    .flat_map(|machine| &machine.spec.disks)
                    .map(|disk| (disk.name.clone(), disk.size_gib))
                    .collect()
            };
        }
        match self {
            Self::VSphere(machine) => sizes!(machine),
            Self::Libvirt(machine) => sizes!(machine),
            Self::Sim(machine) => sizes!(machine),
        }
    }

    /// Asks for the deletion of this very object.
    pub(super) async fn delete(&self, client: &Client) -> Result<Deleted, ApiError> {
        let (meta, same) = (self.meta(), Precondition::SameObject);
        match self {
            Self::VSphere(_) => delete::<VSphereMachine>(client, meta, same).await,
            Self::Libvirt(_) => delete::<LibvirtMachine>(client, meta, same).await,
            Self::Sim(_) => delete::<SimMachine>(client, meta, same).await,
        }
    }
}

/// Whose machine objects these are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a> {
    uid: &'a str,
    /// UID of the object that a move leaves.
    left: Option<&'a str>,
}

impl<'a> Owner<'a> {
    pub(super) fn of(vm: &'a VirtualMachine) -> Self {
        let status = vm.status.as_ref();
        let migration = status.and_then(|status| status.migration.as_ref());
        Self {
            left: migration.and_then(|migration| migration.from.machine_uid.as_deref()),
            ..Self::of_meta(&vm.metadata)
        }
    }

    pub(super) fn of_meta(meta: &'a ObjectMeta) -> Self {
        Self {
            uid: meta.uid.as_deref().unwrap_or_default(),
            left: None,
        }
    }

    /// Whether the object is controlled by this machine, or recorded as the one that it leaves.
    pub(super) fn owns(&self, machine: &Stored) -> bool {
        let mut owners = machine.meta().owner_references.iter().flatten();
        self.left == Some(machine.uid())
            || owners.any(|owner| owner.controller == Some(true) && owner.uid == self.uid)
    }
}

impl MachineWatches {
    /// The objects of that name, at most one a kind.
    pub(super) fn named(&self, namespace: Option<&str>, name: &str) -> Vec<Stored> {
        let vsphere = self.vsphere.cache().lookup(namespace, name);
        let libvirt = self.libvirt.cache().lookup(namespace, name);
        let sim = self.sim.cache().lookup(namespace, name);
        let all = [
            vsphere.map(Stored::VSphere),
            libvirt.map(Stored::Libvirt),
            sim.map(Stored::Sim),
        ];
        all.into_iter().flatten().collect()
    }

    /// The objects of a machine, whatever their kinds and names.
    pub(super) fn owned(&self, owner: &Owner<'_>) -> Vec<Stored> {
        let vsphere = self.vsphere.cache().all().into_iter().map(Stored::VSphere);
        let libvirt = self.libvirt.cache().all().into_iter().map(Stored::Libvirt);
        let sim = self.sim.cache().all().into_iter().map(Stored::Sim);
        let all = vsphere.chain(libvirt).chain(sim);
        all.filter(|machine| owner.owns(machine)).collect()
    }
}

/// Those of the objects that the API server holds now, past the cache, and that are of the owner.
pub(super) async fn read_present(
    client: &Client,
    namespace: Option<&str>,
    owner: &Owner<'_>,
    references: &[TypedObjectReference],
) -> Result<Vec<Stored>, ApiError> {
    let mut present = Vec::new();
    for reference in references {
        let machine = read_now(client, namespace, reference).await?;
        present.extend(machine.filter(|machine| owner.owns(machine)));
    }
    Ok(present)
}

async fn read_now(
    client: &Client,
    namespace: Option<&str>,
    reference: &TypedObjectReference,
) -> Result<Option<Stored>, ApiError> {
    async fn one<K: Kind>(
        client: &Client,
        namespace: Option<&str>,
        name: &str,
        wrap: fn(Guarded<K>) -> Stored,
    ) -> Result<Option<Stored>, ApiError> {
        Ok(read::<K>(client, namespace, name).await?.map(wrap))
    }
    let (name, wanted) = (&reference.name, reference.kind.as_str());
    if wanted == kind(Backend::Vsphere) {
        one(client, namespace, name, Stored::VSphere).await
    } else if wanted == kind(Backend::Libvirt) {
        one(client, namespace, name, Stored::Libvirt).await
    } else if wanted == kind(Backend::Sim) {
        one(client, namespace, name, Stored::Sim).await
    } else {
        Ok(None)
    }
}

impl From<Arc<VSphereMachine>> for Stored {
    fn from(machine: Arc<VSphereMachine>) -> Self {
        Self::VSphere(Guarded::Valid(machine))
    }
}

impl From<Arc<LibvirtMachine>> for Stored {
    fn from(machine: Arc<LibvirtMachine>) -> Self {
        Self::Libvirt(Guarded::Valid(machine))
    }
}

impl From<Arc<SimMachine>> for Stored {
    fn from(machine: Arc<SimMachine>) -> Self {
        Self::Sim(Guarded::Valid(machine))
    }
}
