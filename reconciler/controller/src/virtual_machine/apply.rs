//! The effects on machine objects. Each is safe to repeat and holds only for the object that was
//! looked at, by its UID.

use std::sync::Arc;

use banlieue_core::resolve::Machine;
use banlieue_kit::apply::apply as apply_to;
use banlieue_kit::cache::Watch;
use banlieue_kit::errors::ApiError;
use banlieue_kit::finalizer::{self, Added};
use banlieue_kit::{Kind, annotation};
use banlieue_schemas::labels;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::VirtualMachine;
use serde::Serialize;

use super::machine::Stored;
use super::plan::{Effect, Plan};
use super::{FINALIZER, VirtualMachines};

/// The machine with our finalizer. A paused one gets none, and nothing is made for it.
pub(super) async fn hold(
    context: &VirtualMachines,
    vm: Arc<VirtualMachine>,
) -> Result<Arc<VirtualMachine>, ApiError> {
    if vm.spec.paused == Some(true) {
        return Ok(vm);
    }
    let (manager, meta) = (Manager::Controller, &vm.metadata);
    match finalizer::add(&context.client, &manager, meta, FINALIZER).await? {
        Added::Present | Added::Terminating => Ok(vm),
        Added::Added(held) => {
            context.watched.virtual_machines.cache().wrote(&held);
            Ok(held)
        }
    }
}

/// What is there after the effects.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    /// The VirtualMachine, as last written.
    pub(super) vm: Arc<VirtualMachine>,
    /// Its machine object, as last read or written.
    pub(super) machine: Option<Stored>,
}

/// Does what the plan says.
pub(super) async fn apply(
    context: &VirtualMachines,
    vm: Arc<VirtualMachine>,
    plan: &Plan,
) -> Result<Applied, ApiError> {
    let vm = match plan.migration {
        Some(_) => use_request(context, vm).await?,
        None => vm,
    };
    let machine = match &plan.effect {
        Effect::Nothing => plan.machine.clone(),
        Effect::Make(intent) => Some(put(context, intent, None).await?),
        Effect::Update(intent) => Some(put(context, intent, plan.machine.as_ref()).await?),
        Effect::Delete(old) => {
            old.delete(&context.client).await?;
            plan.machine.clone()
        }
    };
    Ok(Applied { vm, machine })
}

/// A move that is recorded has used up the request for it.
async fn use_request(
    context: &VirtualMachines,
    vm: Arc<VirtualMachine>,
) -> Result<Arc<VirtualMachine>, ApiError> {
    let (manager, meta) = (Manager::Controller, &vm.metadata);
    match annotation::clear(&context.client, &manager, meta, labels::MIGRATE).await? {
        None => Ok(vm),
        Some(without) => {
            context.watched.virtual_machines.cache().wrote(&without);
            Ok(without)
        }
    }
}

async fn put(
    context: &VirtualMachines,
    intent: &Machine,
    live: Option<&Stored>,
) -> Result<Stored, ApiError> {
    let kinds = &context.watched.machines;
    match intent {
        Machine::VSphere(intent) => {
            let live = live.and_then(Stored::vsphere);
            one(context, &kinds.vsphere, &**intent, live).await
        }
        Machine::Libvirt(intent) => {
            let live = live.and_then(Stored::libvirt);
            one(context, &kinds.libvirt, &**intent, live).await
        }
        Machine::Sim(intent) => {
            let live = live.and_then(Stored::sim);
            one(context, &kinds.sim, &**intent, live).await
        }
    }
}

async fn one<K: Kind + Serialize>(
    context: &VirtualMachines,
    watch: &Watch<K>,
    intent: &K,
    live: Option<&Arc<K>>,
) -> Result<Stored, ApiError>
where
    Stored: From<Arc<K>>,
{
    let applied = apply_to(&context.client, &Manager::Controller, intent, live).await?;
    if applied.changed() {
        watch.cache().wrote(applied.object());
    }
    Ok(Arc::clone(applied.object()).into())
}
