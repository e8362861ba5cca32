//! What is to be done about a machine. Pure: it hands what was found to `banlieue-core` and puts the
//! answers together.
//!
//! ```text
//! paused ------> nothing
//! moving ------> delete the old object, wait until it is gone, make the new one
//! no place yet > schedule, make the object there
//! has a place -> keep it, with the object applied as the class says; or begin to move
//! ```

use banlieue_core::machine_object::MachineObject;
use banlieue_core::migration::{Step, advance, begin, step, target};
use banlieue_core::placement::{Decision, current, decide, digest, kept, stay};
use banlieue_core::resolve::Machine;
use banlieue_core::schedule::{Peer, Request, Site, at, schedule};
use banlieue_core::vm_status::Pass;
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::{HeldAddress, Migration, Scheduled, VirtualMachine};
use kube::ResourceExt;

use super::build::build;
use super::dereference::Found;
use super::machine::Stored;
use super::validate::{Refused, Valid};

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

    /// A move goes on, whatever else is wrong; only the new object needs a valid machine.
    fn moving(&self, valid: &Result<Valid<'_>, Refused>, migration: &Migration) -> Plan {
        let name = self.found.vm.name_any();
        let step = step(migration, &self.machines);
        let under_way = Plan {
            migration: advance(migration, &step, &name, None),
            ..self.unchanged()
        };
        match &step {
            Step::DeleteOld { uid, .. } => {
                let mut machines = self.found.read.machines.iter();
                let old = machines.find(|machine| machine.uid() == uid);
                Plan {
                    machine: old.cloned(),
                    effect: old.cloned().map_or(Effect::Nothing, Effect::Delete),
                    ..under_way
                }
            }
            Step::WaitOldGone => under_way,
            Step::CreateNew => self.arriving(valid, migration, under_way),
            Step::Finished => self.settled(valid),
        }
    }

    /// The old object is gone, and the new one is made.
    fn arriving(
        &self,
        valid: &Result<Valid<'_>, Refused>,
        migration: &Migration,
        under_way: Plan,
    ) -> Plan {
        let valid = match valid {
            Ok(valid) => valid,
            Err(refused) => return under_way.blocked(refused.clone()),
        };
        let place = match target(&self.request(valid), migration) {
            Ok(place) => place,
            Err(unschedulable) => return under_way.blocked(unschedulable.into()),
        };
        let name = self.found.vm.name_any();
        match build(self.found, valid, &place, None) {
            Ok((machine, held)) => Plan {
                scheduled: Some(place.scheduled(self.digest())),
                migration: advance(migration, &Step::CreateNew, &name, Some(&place)),
                held,
                effect: Effect::Make(Box::new(machine)),
                ..under_way
            },
            Err(refused) => under_way.blocked(refused),
        }
    }

    /// No move is under way.
    fn settled(&self, valid: &Result<Valid<'_>, Refused>) -> Plan {
        let plan = Plan {
            migration: None,
            ..self.unchanged()
        };
        let valid = match valid {
            Ok(valid) => valid,
            Err(refused) => return plan.blocked(refused.clone()),
        };
        let request = self.request(valid);
        match current(self.found.vm, &self.machines, &self.sites) {
            None => self.unplaced(valid, &request, plan),
            Some(current) => match decide(&request, &current) {
                Decision::Move { to, .. } => {
                    let from = (&*current.provider_name, &*current.failure_domain);
                    let old = self.machines.first();
                    let name = self.found.vm.name_any();
                    let migration = begin(from, old, &name, &to);
                    let plan = self.moving(&Ok(*valid), &migration);
                    Plan {
                        scheduled: plan.scheduled.or(Some(current)),
                        ..plan
                    }
                }
                decision => self.staying(valid, &request, &current, decision, plan),
            },
        }
    }

    fn unplaced(&self, valid: &Valid<'_>, request: &Request<'_>, plan: Plan) -> Plan {
        let place = match schedule(request) {
            Ok(place) => place,
            Err(unschedulable) => return plan.blocked(unschedulable.into()),
        };
        match build(self.found, valid, &place, None) {
            Ok((machine, held)) => Plan {
                scheduled: Some(place.scheduled(self.digest())),
                decision: Some(Decision::Keep { confirmed: true }),
                held,
                effect: Effect::Make(Box::new(machine)),
                ..plan
            },
            Err(refused) => plan.blocked(refused),
        }
    }

    fn staying(
        &self,
        valid: &Valid<'_>,
        request: &Request<'_>,
        current: &Scheduled,
        decision: Decision,
        plan: Plan,
    ) -> Plan {
        let today = stay(request, current);
        let waits = match &decision {
            Decision::Surface { waiting: true, .. } => Some(WaitsFor::Machines),
            _ if today.is_none() => Some(WaitsFor::Objects),
            _ => None,
        };
        let plan = Plan {
            scheduled: Some(kept(self.found.vm, current, &decision, today.as_ref())),
            decision: Some(decision),
            waits,
            ..plan
        };
        let (provider, domain) = (&current.provider_name, &current.failure_domain);
        let Some(machine) = self.machines.first() else {
            return match at(request, provider, domain) {
                Ok(place) => match build(self.found, valid, &place, None) {
                    Ok((machine, held)) => Plan {
                        held,
                        effect: Effect::Make(Box::new(machine)),
                        ..plan
                    },
                    Err(refused) => plan.blocked(refused),
                },
                Err(unschedulable) => plan.blocked(unschedulable.into()),
            };
        };
        if !machine.is_at(provider, domain) {
            let message = format!("the machine object is not in {provider}/{domain}");
            return plan.blocked(Refused::new(Reason::InfraBuildFailed, message));
        }
        // Nothing is applied onto an object that goes; what cannot be told stays as it is.
        let Some(place) = today.filter(|_| !machine.terminating) else {
            return plan;
        };
        match build(self.found, valid, &place, self.found.read.machines.first()) {
            Ok((machine, held)) => Plan {
                held,
                effect: Effect::Update(Box::new(machine)),
                ..plan
            },
            Err(refused) => plan.blocked(refused),
        }
    }

    fn digest(&self) -> String {
        digest(self.found.vm.spec.placement.as_ref())
    }
}
