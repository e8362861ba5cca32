//! What is to be done about a machine. Pure: it hands what was found to `banlieue-core` and puts the
//! answers together.
//!
//! ```text
//! paused ------> nothing
//! moving ------> delete the old object, wait until it is gone, make the new one
//! no place yet > schedule, make the object there
//! has a place -> keep it, with the object applied as the class says; or begin to move
//! ```

mod moving;
mod settled;

use super::dereference::Found;
use super::machine::Stored;
use super::validate::{Refused, Valid};
use banlieue_core::machine_object::MachineObject;
use banlieue_core::placement::{Decision, digest};
use banlieue_core::resolve::Machine;
use banlieue_core::schedule::{Peer, Request, Site};
use banlieue_core::vm_status::Pass;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::{HeldAddress, Migration, Scheduled, VirtualMachine};

/// What is to be done, and everything that the status will say of it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What kind of pass it is.
    pub(super) pass: Pass,
    /// Where the machine has a place.
    pub(super) scheduled: Option<Scheduled>,
    /// What was decided about that place.
    pub(super) decision: Option<Decision>,
    /// The move that is under way.
    pub(super) migration: Option<Migration>,
    /// Fixed addresses that the machine object has.
    pub(super) held: Vec<HeldAddress>,
    /// The machine object as it was found.
    pub(super) machine: Option<Stored>,
    /// What is done to it.
    pub(super) effect: Effect,
    /// Whether another pass is wanted when something else changes.
    pub(super) waits: Option<WaitsFor>,
}

/// What is done to the machine object.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// Nothing.
    Nothing,
    /// It is made.
    Make(Box<Machine>),
    /// It is brought to what class and spec say.
    Update(Box<Machine>),
    /// It is deleted, to be made again elsewhere.
    Delete(Stored),
}

/// What a machine waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitsFor {
    /// Classes, images and Providers.
    Objects,
    /// Those, and that another machine goes, moves or gives an address up.
    Machines,
}

impl Plan {
    /// Everything stays as it is recorded.
    pub(super) fn unchanged(vm: &VirtualMachine, machine: Option<&Stored>) -> Self {
        let status = vm.status.clone().unwrap_or_default();
        Self {
            pass: Pass::Done,
            scheduled: status.scheduled,
            decision: None,
            migration: status.migration,
            held: status.held_addresses,
            machine: machine.cloned(),
            effect: Effect::Nothing,
            waits: None,
        }
    }

    /// Whether something stands in the way.
    pub(super) fn is_blocked(&self) -> bool {
        matches!(self.pass, Pass::Blocked { .. })
    }

    fn blocked(self, refused: Refused) -> Self {
        let Refused { reason, message } = refused;
        let waits = match reason {
            Reason::AntiAffinityUnsatisfied | Reason::DuplicateAddress => WaitsFor::Machines,
            _ => WaitsFor::Objects,
        };
        Self {
            pass: Pass::Blocked { reason, message },
            effect: Effect::Nothing,
            waits: Some(waits),
            ..self
        }
    }
}

/// What is to be done about the machine that was found.
pub(super) fn plan(found: &Found<'_>, valid: &Result<Valid<'_>, Refused>) -> Plan {
    let scene = Scene {
        found,
        machines: found
            .read
            .machines
            .iter()
            .filter_map(Stored::view)
            .collect(),
        sites: found.sites.views(),
        peers: found.peers.iter().map(|peer| Peer::of(peer)).collect(),
    };
    if found.vm.spec.paused == Some(true) {
        return Plan {
            pass: Pass::Paused,
            ..scene.unchanged()
        };
    }
    let status = found.vm.status.as_ref();
    match status.and_then(|status| status.migration.as_ref()) {
        Some(migration) => scene.moving(valid, migration),
        None => scene.settled(valid),
    }
}

/// What was found, in the form that decisions take.
struct Scene<'a> {
    found: &'a Found<'a>,
    machines: Vec<MachineObject<'a>>,
    sites: Vec<Site<'a>>,
    peers: Vec<Peer<'a>>,
}

impl<'a> Scene<'a> {
    fn unchanged(&self) -> Plan {
        Plan::unchanged(self.found.vm, self.found.read.machines.first())
    }

    fn request(&'a self, valid: &Valid<'a>) -> Request<'a> {
        Request {
            vm: self.found.vm,
            class: valid.class,
            image: valid.image,
            sites: &self.sites,
            peers: &self.peers,
        }
    }

    fn digest(&self) -> String {
        digest(self.found.vm.spec.placement.as_ref())
    }
}
