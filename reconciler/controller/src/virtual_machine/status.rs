//! The whole status, from the plan and from what was applied.

use std::sync::Arc;

use banlieue_core::machine_object::MachineObject;
use banlieue_core::resolve::Machine;
use banlieue_core::vm_status::{Facts, Pass, status};
use banlieue_kit::errors::{ApiError, chain};
use banlieue_kit::status::{Written, write};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::VirtualMachine;

use super::apply::Applied;
use super::machine::Stored;
use super::plan::{Effect, Plan};
use crate::watched::Watched;

/// Writes what has to be known after a crash in the next effect, before that: the place before the
/// object is made there, the move before the old object is deleted.
///
/// The status of a new object is that of one without news, so that it need not be written again
/// once the object is there.
pub(super) async fn remember(
    client: &Client,
    watched: &Watched,
    vm: &Arc<VirtualMachine>,
    plan: &Plan,
    now: Timestamp,
) -> Result<Arc<VirtualMachine>, ApiError> {
    match &plan.effect {
        Effect::Nothing | Effect::Update(_) => Ok(Arc::clone(vm)),
        Effect::Make(_) | Effect::Delete(_) => {
            send(client, watched, vm, plan, expected(plan).as_ref(), now).await
        }
    }
}

/// Writes what became of the plan.
pub(super) async fn publish(
    client: &Client,
    watched: &Watched,
    plan: &Plan,
    applied: &Applied,
    now: Timestamp,
) -> Result<(), ApiError> {
    let machine = applied.machine.as_ref().and_then(Stored::view);
    send(client, watched, &applied.vm, plan, machine.as_ref(), now).await?;
    Ok(())
}

/// Writes that an effect was refused, if that is a matter for people.
pub(super) async fn publish_refusal(
    client: &Client,
    watched: &Watched,
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
    send(client, watched, vm, &refused, expected(plan).as_ref(), now).await?;
    Ok(())
}

async fn send(
    client: &Client,
    watched: &Watched,
    vm: &Arc<VirtualMachine>,
    plan: &Plan,
    machine: Option<&MachineObject<'_>>,
    now: Timestamp,
) -> Result<Arc<VirtualMachine>, ApiError> {
    let facts = Facts {
        vm,
        pass: plan.pass.clone(),
        scheduled: plan.scheduled.clone(),
        placement: plan.decision.as_ref(),
        migration: plan.migration.as_ref(),
        machine,
        held: plan.held.clone(),
    };
    let wanted = status(&facts, now);
    match write(client, &Manager::Controller, &**vm, &wanted).await? {
        Written::Same => Ok(Arc::clone(vm)),
        Written::Written(written) => {
            watched.virtual_machines.cache().wrote(&written);
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
