//! The whole status, from the plan and from what was applied.

use std::sync::Arc;

use banlieue_core::machine_object::MachineObject;
use banlieue_core::resolve::Machine;
use banlieue_core::vm_status::{Facts, Pass, status};
use banlieue_kit::Timestamp;
use banlieue_kit::errors::{ApiError, chain};
use banlieue_kit::status::{Written, write};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::{VirtualMachine, VirtualMachineStatus};

use super::VirtualMachines;
use super::apply::Applied;
use super::machine::Stored;
use super::plan::{Effect, Plan};

/// Writes what has to be known after a crash in the next effect, before that: the place before the
/// object is made there, the move before the old object is deleted.
///
/// The status of a new object is that of one without news, so that it need not be written again
/// once the object is there. What is remembered already is not written again either, so that an
/// effect that fails each time does not turn conditions back and forth.
pub(super) async fn remember(
    context: &VirtualMachines,
    vm: &Arc<VirtualMachine>,
    plan: &Plan,
    now: Timestamp,
) -> Result<Arc<VirtualMachine>, ApiError> {
    match &plan.effect {
        Effect::Nothing | Effect::Update(_) => Ok(Arc::clone(vm)),
        Effect::Make(_) | Effect::Delete(_) => {
            let wanted = whole(vm, plan, expected(plan).as_ref(), now);
            if is_remembered(vm, &wanted) {
                return Ok(Arc::clone(vm));
            }
            send(context, vm, &wanted).await
        }
    }
}

/// Writes what became of the plan.
pub(super) async fn publish(
    context: &VirtualMachines,
    plan: &Plan,
    applied: &Applied,
    now: Timestamp,
) -> Result<(), ApiError> {
    let machine = applied.machine.as_ref().and_then(Stored::view);
    let wanted = whole(&applied.vm, plan, machine.as_ref(), now);
    send(context, &applied.vm, &wanted).await?;
    Ok(())
}

/// Writes that an effect was refused, if that is a matter for people.
pub(super) async fn publish_refusal(
    context: &VirtualMachines,
    vm: &Arc<VirtualMachine>,
    plan: &Plan,
    error: &ApiError,
    now: Timestamp,
) -> Result<(), ApiError> {
    if !error.kind().concerns_people() {
        return Ok(());
    }
    let refused = Plan {
        pass: Pass::Blocked {
            reason: Reason::InfraBuildFailed,
            message: chain(error).to_string(),
        },
        ..plan.clone()
    };
    let wanted = whole(vm, &refused, expected(plan).as_ref(), now);
    send(context, vm, &wanted).await?;
    Ok(())
}

fn whole(
    vm: &VirtualMachine,
    plan: &Plan,
    machine: Option<&MachineObject<'_>>,
    now: Timestamp,
) -> VirtualMachineStatus {
    let facts = Facts {
        vm,
        pass: plan.pass.clone(),
        scheduled: plan.scheduled.clone(),
        placement: plan.decision.as_ref(),
        migration: plan.migration.as_ref(),
        machine,
        held: plan.held.clone(),
    };
    status(&facts, now)
}

fn is_remembered(vm: &VirtualMachine, wanted: &VirtualMachineStatus) -> bool {
    vm.status.as_ref().is_some_and(|known| {
        known.scheduled == wanted.scheduled
            && known.migration == wanted.migration
            && known.infrastructure_ref == wanted.infrastructure_ref
            && known.held_addresses == wanted.held_addresses
    })
}

async fn send(
    context: &VirtualMachines,
    vm: &Arc<VirtualMachine>,
    wanted: &VirtualMachineStatus,
) -> Result<Arc<VirtualMachine>, ApiError> {
    match write(&context.client, &Manager::Controller, &**vm, wanted).await? {
        Written::Same => Ok(Arc::clone(vm)),
        Written::Written(written) => {
            context.watched.virtual_machines.cache().wrote(&written);
            Ok(written)
        }
    }
}

/// The machine object as far as it is known before the effect.
fn expected(plan: &Plan) -> Option<MachineObject<'_>> {
    match &plan.effect {
        Effect::Make(intent) => Some(intended(intent)),
        Effect::Nothing | Effect::Update(_) | Effect::Delete(_) => {
            plan.machine.as_ref().and_then(Stored::view)
        }
    }
}

fn intended(machine: &Machine) -> MachineObject<'_> {
    match machine {
        Machine::VSphere(machine) => MachineObject::vsphere(machine),
        Machine::Libvirt(machine) => MachineObject::libvirt(machine),
        Machine::Sim(machine) => MachineObject::sim(machine),
    }
}
