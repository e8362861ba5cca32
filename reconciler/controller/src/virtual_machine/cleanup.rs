//! The way out of a machine: its objects of every kind go, then the finalizer.
//!
//! It needs what is recorded and nothing else: no class, image or Provider, and no spec that
//! parses. An object belongs to the machine if the machine controls it, or if a move recorded its
//! UID; nothing else is deleted. The finalizer goes once the API server itself said that no
//! recorded object is left: the objects are recorded before they are made, and an empty cache
//! proves nothing.
//!
//! A machine that its user paused is not torn down until the pause is taken away: `spec.paused`
//! says that nothing is done to the machine, and a deletion cannot be undone. The status says what
//! it waits for. Nothing else stops a deletion.

use std::sync::Arc;

use banlieue_core::conditions::find;
use banlieue_core::machine_object::{MachineObject, reference};
use banlieue_core::vm_status::Pass;
use banlieue_kit::delete::Deleted;
use banlieue_kit::errors::ApiError;
use banlieue_kit::runner::Next;
use banlieue_kit::{Client, Timestamp, finalizer};
use banlieue_schemas::common::TypedObjectReference;
use banlieue_schemas::conditions::{ConditionType, Reason};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::{Backend, VirtualMachine};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::apply::Applied;
use super::dereference::recorded;
use super::machine::{Owner, Stored, read_present};
use super::plan::Plan;
use super::status::publish;
use super::triggers::named;
use super::{FINALIZER, LOOK_AGAIN, VirtualMachines};

/// Tears a machine down, as far as it goes now.
pub(super) async fn cleanup(
    context: &VirtualMachines,
    vm: &Arc<VirtualMachine>,
    now: Timestamp,
) -> Result<Next, ApiError> {
    if !is_held(context, &vm.metadata) {
        return Ok(Next::Wait);
    }
    if vm.spec.paused == Some(true) {
        let machines = &context.watched.machines;
        let machines = machines.owned(&Owner::of(vm));
        let message = "nothing is deleted while spec.paused is set".to_owned();
        return say(context, vm, machines.first(), message, now).await;
    }
    let left = tear_down(context, &vm.metadata, &Owner::of(vm), &recorded(vm)).await?;
    let Some(first) = left.machines.first() else {
        return let_go(context, &vm.metadata).await;
    };
    say(context, vm, Some(first), waits_for(&left.machines), now).await?;
    Ok(left.next())
}

/// The same for a machine that does not parse: it may have objects of every kind.
pub(super) async fn cleanup_invalid(
    context: &VirtualMachines,
    meta: &ObjectMeta,
) -> Result<Next, ApiError> {
    if meta.deletion_timestamp.is_none() || !is_held(context, meta) {
        return Ok(Next::Wait);
    }
    let name = meta.name.as_deref().unwrap_or_default();
    let every_kind = Backend::ALL.map(|backend| reference(backend, name));
    let left = tear_down(context, meta, &Owner::of_meta(meta), &every_kind).await?;
    if left.machines.is_empty() {
        return let_go(context, meta).await;
    }
    Ok(left.next())
}

/// Machine objects that are not gone yet.
struct Left {
    machines: Vec<Stored>,
    /// Whether no watch tells when they go.
    unheard: bool,
}

impl Left {
    fn next(&self) -> Next {
        if self.unheard { LOOK_AGAIN } else { Next::Wait }
    }
}

async fn tear_down(
    context: &VirtualMachines,
    meta: &ObjectMeta,
    owner: &Owner<'_>,
    recorded: &[TypedObjectReference],
) -> Result<Left, ApiError> {
    let client = &context.client;
    let known = context.watched.machines.owned(owner);
    let mut machines = delete_all(client, known).await?;
    let unheard = machines.is_empty();
    if unheard {
        let namespace = meta.namespace.as_deref();
        let present = read_present(client, namespace, owner, recorded).await?;
        machines = delete_all(client, present).await?;
    }
    Ok(Left { machines, unheard })
}

/// Asks for the deletion of each, and answers those that are not gone yet.
async fn delete_all(client: &Client, machines: Vec<Stored>) -> Result<Vec<Stored>, ApiError> {
    let mut left = Vec::new();
    for machine in machines {
        match machine.delete(client).await? {
            Deleted::Requested | Deleted::Terminating => left.push(machine),
            Deleted::Gone => {}
        }
    }
    Ok(left)
}

/// Whether our finalizer is still there.
fn is_held(context: &VirtualMachines, meta: &ObjectMeta) -> bool {
    let cache = context.watched.virtual_machines.cache();
    finalizer::has(meta, FINALIZER) && !cache.was_let_go(meta)
}

async fn let_go(context: &VirtualMachines, meta: &ObjectMeta) -> Result<Next, ApiError> {
    let manager = Manager::Controller;
    finalizer::remove::<VirtualMachine>(&context.client, &manager, meta, FINALIZER).await?;
    context.watched.virtual_machines.cache().let_go(meta);
    context.lookout.dismiss(&named(meta));
    context.desk.forget(&named(meta));
    Ok(Next::Wait)
}

/// The objects, and what the first of them that is on its way waits for itself.
fn waits_for(machines: &[Stored]) -> String {
    let names: Vec<String> = machines.iter().map(Stored::describe).collect();
    let names = names.join(", ");
    let views = machines.iter().filter_map(Stored::view);
    let mut own = views.filter_map(|view| own_words(&view));
    match own.next() {
        Some(own) => format!("waits for {names}: {own}"),
        None => format!("waits for {names}"),
    }
}

/// What its provider says of the deletion. What it said of the machine before is no answer.
fn own_words(machine: &MachineObject<'_>) -> Option<String> {
    let ready = find(machine.status.conditions, ConditionType::Ready)?;
    let of_deletion = ready.reason == Reason::Deleting.as_str();
    (of_deletion && !ready.message.is_empty()).then(|| ready.message.clone())
}

async fn say(
    context: &VirtualMachines,
    vm: &Arc<VirtualMachine>,
    machine: Option<&Stored>,
    message: String,
    now: Timestamp,
) -> Result<Next, ApiError> {
    let plan = Plan {
        pass: Pass::Deleting { message },
        ..Plan::unchanged(vm, machine)
    };
    let applied = Applied {
        vm: Arc::clone(vm),
        machine: machine.cloned(),
    };
    publish(context, &plan, &applied, now).await?;
    Ok(Next::Wait)
}
