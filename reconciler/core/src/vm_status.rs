//! The status of a VirtualMachine, always as a whole.
//!
//! `Ready` says what the machine object's `Ready` says and is never true by itself. A problem of a
//! machine that runs, such as a class that vanished or a place that no longer matches, does not
//! turn it: the guest is fine. Such a problem shows in its own condition, and in `Reconciling` or
//! `Stalled`, which is what tools that wait for an object read next to `Ready`.

mod conditions;
#[cfg(test)]
mod tests;

use banlieue_schemas::common::InitializationStatus;
use banlieue_schemas::conditions::{Reason, Writer};
use banlieue_schemas::platform::{
    HeldAddress, Migration, Scheduled, VirtualMachine, VirtualMachineStatus,
};
use k8s_openapi::jiff::Timestamp;

use crate::conditions::{Scope, merge};
use crate::machine_object::MachineObject;
use crate::placement::Decision;

/// Whose conditions these are.
pub const SCOPE: Scope = Scope {
    kind: "VirtualMachine",
    writer: Writer::Controller,
};

/// What a pass found out and did.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The machine as it was read.
    pub vm: &'a VirtualMachine,
    /// What kind of pass it was.
    pub pass: Pass,
    /// Where the machine has a place, to be recorded.
    pub scheduled: Option<Scheduled>,
    /// What was decided about that place. `None` if nothing could be decided; what was known of it
    /// is then kept.
    pub placement: Option<&'a Decision>,
    /// The move that is under way after this pass.
    pub migration: Option<&'a Migration>,
    /// The machine object, as it was read or applied.
    pub machine: Option<&'a MachineObject<'a>>,
    /// Fixed addresses that the machine object has.
    pub held: Vec<HeldAddress>,
}

/// What kind of pass it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Everything that could be done was done.
    Done,
    /// Something stands in the way.
    Blocked {
        /// What.
        reason: Reason,
        /// What, for people.
        message: String,
    },
    /// The machine is paused; nothing was done.
    Paused,
    /// The machine is being deleted.
    Deleting {
        /// What the deletion waits for.
        message: String,
    },
}

/// The status that the controller applies. `now` only counts where a condition turns.
pub fn status(facts: &Facts<'_>, now: Timestamp) -> VirtualMachineStatus {
    let old = facts.vm.status.as_ref();
    let generation = facts.vm.metadata.generation;
    let view = facts
        .machine
        .map(|machine| machine.status)
        .unwrap_or_default();
    let old_conditions = old.map_or(&[][..], |status| &status.conditions);
    let wanted = conditions::wanted(facts, old_conditions);
    VirtualMachineStatus {
        observed_generation: generation,
        scheduled: facts.scheduled.clone(),
        migration: facts.migration.cloned(),
        infrastructure_ref: facts.machine.map(MachineObject::reference),
        initialization: initialization(old, view.provisioned),
        addresses: view.addresses.to_vec(),
        observed_power_state: view.observed_power_state,
        tpm_endorsement_certificates: view.tpm_endorsement_certificates.to_vec(),
        held_addresses: facts.held.clone(),
        conditions: merge(SCOPE, old_conditions, &wanted, generation, now),
    }
}

/// Once provisioned, always provisioned, even while the machine is made again.
fn initialization(
    old: Option<&VirtualMachineStatus>,
    provisioned: bool,
) -> Option<InitializationStatus> {
    let before = old.and_then(|status| status.initialization.as_ref());
    let done = provisioned || before.is_some_and(InitializationStatus::is_done);
    done.then(InitializationStatus::done)
}
