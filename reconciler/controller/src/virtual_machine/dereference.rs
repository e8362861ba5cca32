//! Everything that a decision about a machine looks at. "Not found" is data.

use std::sync::Arc;

use banlieue_core::addresses::Claimant;
use banlieue_core::placement;
use banlieue_kit::errors::ApiError;
use banlieue_schemas::common::TypedObjectReference;
use banlieue_schemas::platform::{MigrationPolicy, VirtualMachine, VmClass, VmImage};
use kube::ResourceExt;

use super::VirtualMachines;
use super::desk::Booked;
use super::machine::{Owner, Stored, read_present};
use super::user_data::{UserData, fetch};
use crate::sites::Sites;
use crate::watched::Watched;

/// What may need the API server.
#[derive(Debug)]
pub(super) struct Read {
    /// Machine objects of this VirtualMachine.
    pub(super) machines: Vec<Stored>,
    /// Objects of somebody else under the name that the machine object gets.
    pub(super) foreign: Vec<Stored>,
    /// Whether the machine objects are there although no watch told so.
    pub(super) unheard: bool,
    /// User data, if a machine is to be made.
    pub(super) user_data: UserData,
}

/// What caches answer.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// The machine.
    pub(super) vm: &'a VirtualMachine,
    /// What was read before.
    pub(super) read: &'a Read,
    /// Its class.
    pub(super) class: Option<Arc<VmClass>>,
    /// Its image.
    pub(super) image: Option<Arc<VmImage>>,
    /// The Providers of its namespace.
    pub(super) sites: Sites,
    /// The machines of its namespace, if a place may be looked for.
    pub(super) peers: Vec<Arc<VirtualMachine>>,
    /// Its own fixed addresses.
    pub(super) claimant: Claimant,
    /// Fixed addresses of all machines, if it asks for one.
    pub(super) claimants: Vec<Claimant>,
}

/// Finds the machine objects, and reads the user data of a machine that has none.
///
/// An object that is recorded and in no cache is asked for: a cache that got an empty list once
/// looks the same as one whose objects are gone, and a second machine must not come of that.
pub(super) async fn read(context: &VirtualMachines, vm: &VirtualMachine) -> Result<Read, ApiError> {
    let namespace = vm.metadata.namespace.as_deref();
    let (client, owner) = (&context.client, Owner::of(vm));
    let named = context.watched.machines.named(namespace, &vm.name_any());
    let (mut machines, foreign): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|machine| owner.owns(machine));
    let unheard = machines.is_empty();
    if unheard {
        machines = read_present(client, namespace, &owner, &recorded(vm)).await?;
    }
    let unheard = unheard && !machines.is_empty();
    let is_paused = vm.spec.paused == Some(true);
    let user_data = if machines.is_empty() && !is_paused {
        fetch(client, vm).await?
    } else {
        UserData::NotNeeded
    };
    Ok(Read {
        machines,
        foreign,
        unheard,
        user_data,
    })
}

/// Machine objects that the status records, each once.
pub(super) fn recorded(vm: &VirtualMachine) -> Vec<TypedObjectReference> {
    let Some(status) = &vm.status else {
        return Vec::new();
    };
    let places = status
        .migration
        .iter()
        .flat_map(|move_| [&move_.from, &move_.to]);
    let places = places.filter_map(|place| place.machine_ref.as_ref());
    let mut all: Vec<_> = status.infrastructure_ref.iter().chain(places).collect();
    all.sort_by(|one, other| (&one.kind, &one.name).cmp(&(&other.kind, &other.name)));
    all.dedup();
    all.into_iter().cloned().collect()
}

/// Looks everything else up. Machines that are booked count as they will be.
pub(super) fn find<'a>(
    watched: &Watched,
    vm: &'a VirtualMachine,
    read: &'a Read,
    booked: &Booked,
) -> Found<'a> {
    let namespace = vm.metadata.namespace.as_deref();
    let classes = watched.classes.cache();
    let claimant = |vm: &VirtualMachine| {
        let class = classes.get(None, &vm.spec.class_ref.name);
        Claimant::of(vm, |interface| network_class(class.as_deref(), interface))
    };
    let others = |wanted: &dyn Fn(&VirtualMachine) -> bool| {
        let known = watched.virtual_machines.cache().filter(wanted);
        let newest = |vm: Arc<VirtualMachine>| {
            let uid = vm.metadata.uid.as_deref().unwrap_or_default();
            booked.get(uid).cloned().unwrap_or(vm)
        };
        known.into_iter().map(newest).collect::<Vec<_>>()
    };
    let own = claimant(vm);
    Found {
        vm,
        read,
        class: classes.get(None, &vm.spec.class_ref.name),
        image: watched.images.cache().get(None, &vm.spec.image_ref.name),
        sites: Sites::of(watched, namespace),
        peers: if may_look_for_a_place(vm) {
            others(&|other| other.metadata.namespace.as_deref() == namespace)
        } else {
            Vec::new()
        },
        claimants: if own.asked.is_empty() {
            Vec::new()
        } else {
            others(&|_| true).iter().map(|vm| claimant(vm)).collect()
        },
        claimant: own,
    }
}

/// Whether other machines can count. Looking at them all is what costs most in a pass, and most
/// passes are about a machine that stays.
fn may_look_for_a_place(vm: &VirtualMachine) -> bool {
    let status = vm.status.as_ref();
    let scheduled = status.and_then(|status| status.scheduled.as_ref());
    let is_moving = status.is_some_and(|status| status.migration.is_some());
    let placement = vm.spec.placement.as_ref();
    let keeps_distance = placement.is_some_and(|placement| !placement.anti_affinity.is_empty());
    let satisfied = scheduled.and_then(|scheduled| scheduled.placement_digest.as_deref());
    let may_move = match vm.spec.migration_policy() {
        MigrationPolicy::Never => false,
        MigrationPolicy::Automatic => true,
        MigrationPolicy::Manual => placement::is_migration_requested(vm),
        MigrationPolicy::OnSpecChange => satisfied != Some(&placement::digest(placement)),
    };
    scheduled.is_none() || is_moving || keeps_distance || may_move
}

fn network_class(class: Option<&VmClass>, interface: &str) -> Option<String> {
    let mut interfaces = class?.spec.network.interfaces.iter();
    let found = interfaces.find(|candidate| candidate.name == interface)?;
    Some(found.network_class.clone())
}
