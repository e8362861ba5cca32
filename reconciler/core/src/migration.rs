//! The sequence of a move: the old machine object goes, then the new one comes.
//!
//! ```text
//! begin --> Deleting: DeleteOld, WaitOldGone ... --> Creating: CreateNew --> Finished
//! ```
//!
//! The memory is `status.migration`, written before the first step. Each step follows from that
//! memory and from the machine objects that are there, and doing a step twice is harmless, so the
//! sequence goes on from any crash. Two rules hold in every state:
//!
//! - A new object is made only when no other object of the machine is there, whatever its kind and
//!   whether or not the memory knows it.
//! - An object is deleted only under its UID, so that a new object of the old name is safe.
//!
//! The machine objects must be read from the API server, not from a cache: a list that is empty
//! because a watch broke down is no proof that the old machine is gone.

use banlieue_schemas::platform::{MachinePlace, Migration, MigrationPhase};

use crate::machine_object::{MachineObject, kind, reference};
use crate::schedule::{Placement, Request, Unschedulable, at, schedule};

/// The next step of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Delete an object of the machine, with its UID as precondition.
    DeleteOld {
        /// Kind of the object.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Its UID.
        uid: String,
    },
    /// An object is being deleted: wait until it is gone.
    WaitOldGone,
    /// No object is left: make the new one, at [`target`].
    CreateNew,
    /// The new object is there. `status.migration` goes.
    Finished,
}

impl Step {
    /// The phase that `status.migration` shows while this step is next, `None` after the last.
    pub fn phase(&self) -> Option<MigrationPhase> {
        match self {
            Self::DeleteOld { .. } | Self::WaitOldGone => Some(MigrationPhase::Deleting),
            Self::CreateNew => Some(MigrationPhase::Creating),
            Self::Finished => None,
        }
    }
}

/// The memory of a move that begins. `old` is the machine object in the place that is left,
/// `name` that of the VirtualMachine.
pub fn begin(
    from: (&str, &str),
    old: Option<&MachineObject<'_>>,
    name: &str,
    to: &Placement,
) -> Migration {
    let (provider, failure_domain) = from;
    Migration {
        from: old.map_or_else(
            || MachinePlace {
                provider_name: provider.to_owned(),
                failure_domain: failure_domain.to_owned(),
                machine_ref: None,
                machine_uid: None,
            },
            MachineObject::place,
        ),
        to: destination(to, name),
        phase: MigrationPhase::Deleting,
    }
}

/// What to do next. `machines` are all machine objects of the VirtualMachine.
pub fn step(migration: &Migration, machines: &[MachineObject<'_>]) -> Step {
    let is_new = |machine: &&MachineObject<'_>| is_new(migration, machine);
    let mut old = machines.iter().filter(|machine| !is_new(machine));
    if let Some(present) = old.clone().find(|machine| !machine.terminating) {
        return Step::DeleteOld {
            kind: kind(present.backend),
            name: present.name.to_owned(),
            uid: present.uid.to_owned(),
        };
    }
    if old.next().is_some() {
        return Step::WaitOldGone;
    }
    match machines.iter().find(is_new) {
        // Somebody deleted the new machine; it is made again, but not onto the terminating object.
        Some(machine) if machine.terminating => Step::WaitOldGone,
        Some(_) => Step::Finished,
        None => Step::CreateNew,
    }
}

/// Where the new machine is made: where the move was going, or, if that no longer takes it, the
/// best other place. To be asked only once the old machine is gone.
pub fn target(request: &Request<'_>, migration: &Migration) -> Result<Placement, Unschedulable> {
    let to = &migration.to;
    at(request, &to.provider_name, &to.failure_domain).or_else(|_| schedule(request))
}

/// The memory of a move that goes on, with the phase of its next step and, if that changed, its
/// new destination. `name` is that of the VirtualMachine.
pub fn advance(
    migration: &Migration,
    step: &Step,
    name: &str,
    target: Option<&Placement>,
) -> Option<Migration> {
    Some(Migration {
        from: migration.from.clone(),
        to: target.map_or_else(|| migration.to.clone(), |to| destination(to, name)),
        phase: step.phase()?,
    })
}

fn destination(to: &Placement, name: &str) -> MachinePlace {
    MachinePlace {
        provider_name: to.provider.clone(),
        failure_domain: to.failure_domain.clone(),
        machine_ref: Some(reference(to.backend, name)),
        machine_uid: None,
    }
}

fn is_new(migration: &Migration, machine: &MachineObject<'_>) -> bool {
    let Migration { from, to, .. } = migration;
    let expected = to.machine_ref.as_ref().map(|machine| machine.kind.as_str());
    from.machine_uid.as_deref() != Some(machine.uid)
        && machine.is_at(&to.provider_name, &to.failure_domain)
        && expected.is_none_or(|expected| expected == kind(machine.backend))
}

#[cfg(test)]
mod tests;
