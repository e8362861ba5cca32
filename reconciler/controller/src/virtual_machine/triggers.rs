//! What causes a pass over which machine.
//!
//! A machine that has what it needs is looked at when it, its object, its class or its own Provider
//! changes. One that waits is looked at when anything changes that it may wait for. So a Provider
//! whose free capacity changes all day costs nothing to those that run on it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use banlieue_core::conditions::{find, is_true};
use banlieue_kit::ObjectRef;
use banlieue_kit::cache::Cache;
use banlieue_kit::runner::{Config, Reporting, Runner, Trigger, fingerprint};
use banlieue_schemas::conditions::ConditionType;
use banlieue_schemas::platform::{FailureDomain, Provider, VirtualMachine};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::VirtualMachines;
use super::desk::Desk;
use super::plan::WaitsFor;
use super::user_data::Woken;
use crate::watched::Watched;

type Machine = ObjectRef<VirtualMachine>;

/// The reconciler with its triggers.
pub(super) fn runner(
    reconciler: VirtualMachines,
    woken: Woken,
    config: Config,
    reporting: Reporting,
) -> Runner<VirtualMachines> {
    let watched = reconciler.watched.clone();
    let desk = &Arc::clone(&reconciler.desk);
    let vms = &watched.virtual_machines;
    let machines = watched.machines.clone();
    Runner::new(reconciler, vms, Trigger::Intent, config, reporting)
        .owns(
            &machines.vsphere,
            Trigger::IntentAnd(|machine| fingerprint(&machine.status)),
        )
        .owns(
            &machines.libvirt,
            Trigger::IntentAnd(|machine| fingerprint(&machine.status)),
        )
        .owns(
            &machines.sim,
            Trigger::IntentAnd(|machine| fingerprint(&machine.status)),
        )
        .watches(&watched.classes, Trigger::Intent, of_class(vms.cache()))
        .watches(
            &watched.images,
            Trigger::IntentAnd(|image| {
                fingerprint(&image.status.as_ref().map(|status| &status.per_provider))
            }),
            of_image(&watched, desk),
        )
        .watches(
            &watched.providers,
            Trigger::IntentAnd(offer),
            on_provider(vms.cache()),
        )
        .watches(
            &watched.providers,
            Trigger::IntentAnd(everything),
            in_namespace(desk),
        )
        .watches(&watched.provider_classes, Trigger::Intent, everybody(desk))
        .watches(
            vms,
            Trigger::IntentAnd(footprint),
            released(vms.cache(), desk),
        )
        .triggered_by(woken)
}

/// Refers to the machine with this metadata.
pub(super) fn named(meta: &ObjectMeta) -> Machine {
    let reference = ObjectRef::new(meta.name.as_deref().unwrap_or_default());
    reference.within(meta.namespace.as_deref().unwrap_or_default())
}

fn select(cache: &Cache<VirtualMachine>, wanted: impl Fn(&VirtualMachine) -> bool) -> Vec<Machine> {
    let machines = cache.filter(wanted);
    machines.iter().map(|vm| named(&vm.metadata)).collect()
}

/// Machines of a class: its hardware is theirs.
fn of_class(cache: &Cache<VirtualMachine>) -> impl Fn(&ObjectMeta) -> Vec<Machine> + Send + use<> {
    let cache = cache.clone();
    move |class| {
        let name = class.name.as_deref();
        select(&cache, |vm| Some(&*vm.spec.class_ref.name) == name)
    }
}

/// Machines of an image that wait, and all of an image that is gone.
fn of_image(
    watched: &Watched,
    desk: &Arc<Desk>,
) -> impl Fn(&ObjectMeta) -> Vec<Machine> + Send + use<> {
    let (watched, desk) = (watched.clone(), Arc::clone(desk));
    move |image| {
        let name = image.name.as_deref().unwrap_or_default();
        let cache = watched.virtual_machines.cache();
        if watched.images.cache().get(None, name).is_none() {
            return select(cache, |vm| vm.spec.image_ref.name == name);
        }
        let uses = |machine: &Machine| {
            let vm = cache.get(machine.namespace.as_deref(), &machine.name);
            vm.is_some_and(|vm| vm.spec.image_ref.name == name)
        };
        desk.waiting(|machine, _| uses(machine))
    }
}

/// Machines that are on the Provider, or go there.
fn on_provider(
    cache: &Cache<VirtualMachine>,
) -> impl Fn(&ObjectMeta) -> Vec<Machine> + Send + use<> {
    let cache = cache.clone();
    move |provider| {
        let name = provider.name.as_deref();
        let is_there = |vm: &VirtualMachine| {
            let Some(status) = &vm.status else {
                return false;
            };
            let scheduled = status.scheduled.iter().map(|place| &place.provider_name);
            let moving = status.migration.iter().map(|move_| &move_.to.provider_name);
            scheduled
                .chain(moving)
                .any(|there| Some(there.as_str()) == name)
        };
        select(&cache, |vm| {
            vm.metadata.namespace == provider.namespace && is_there(vm)
        })
    }
}

/// Machines of the namespace that wait.
fn in_namespace(desk: &Arc<Desk>) -> impl Fn(&ObjectMeta) -> Vec<Machine> + Send + use<> {
    let desk = Arc::clone(desk);
    move |meta| desk.waiting(|machine, _| machine.namespace == meta.namespace)
}

/// Machines that wait, wherever they are.
fn everybody(desk: &Arc<Desk>) -> impl Fn(&ObjectMeta) -> Vec<Machine> + Send + use<> {
    let desk = Arc::clone(desk);
    move |_| desk.waiting(|_, _| true)
}

/// Machines that wait for others, when another one gives something up: it had a place, and goes,
/// moves, changes its labels or holds other addresses. One that gets its first place frees nothing.
fn released(
    cache: &Cache<VirtualMachine>,
    desk: &Arc<Desk>,
) -> impl Fn(&ObjectMeta) -> Vec<Machine> + Send + use<> {
    let (cache, desk) = (cache.clone(), Arc::clone(desk));
    let footprints = RefCell::new(HashMap::new());
    move |meta| {
        let machine = named(meta);
        let namespace = machine.namespace.as_deref();
        if cache.lookup(namespace, &machine.name).is_none() {
            desk.forget(&machine);
        }
        let vm = cache.get(namespace, &machine.name);
        let placed = vm.filter(|vm| {
            vm.status
                .as_ref()
                .is_some_and(|status| status.scheduled.is_some())
        });
        let now = placed.map(|vm| fingerprint(&(footprint(&vm), &vm.metadata.labels)));
        let before = match now {
            Some(now) => footprints.borrow_mut().insert(machine, now),
            None => footprints.borrow_mut().remove(&machine),
        };
        if before.is_none() || before == now {
            return Vec::new();
        }
        desk.waiting(|_, what| what == WaitsFor::Machines)
    }
}

/// What others see of a machine.
fn footprint(vm: &VirtualMachine) -> u64 {
    let status = vm.status.as_ref();
    fingerprint(
        &status.map(|status| (&status.scheduled, &status.migration, &status.held_addresses)),
    )
}

/// What a Provider offers to machines that are on it.
fn offer(provider: &Provider) -> u64 {
    let mut domains: Vec<FailureDomain> = Vec::new();
    let mut is_ready = false;
    if let Some(status) = &provider.status {
        is_ready = is_true(&status.conditions, ConditionType::Ready);
        domains.clone_from(&status.failure_domains);
    }
    for domain in &mut domains {
        domain.attributes.free_capacity = None;
    }
    fingerprint(&(is_ready, domains))
}

/// What a Provider offers to machines that look for a place.
fn everything(provider: &Provider) -> u64 {
    let status = provider.status.as_ref();
    fingerprint(&status.map(|status| {
        let ready = find(&status.conditions, ConditionType::Ready);
        (ready.map(|ready| &ready.status), &status.failure_domains)
    }))
}

#[cfg(test)]
mod tests;
