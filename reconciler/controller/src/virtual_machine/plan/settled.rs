//! A machine that does not move: one that gets its place, or keeps it.

use banlieue_core::placement::{Decision, current, decide, kept, stay};
use banlieue_core::schedule::{Placement, Request, at, schedule};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::platform::Scheduled;

use super::{Effect, Plan, Scene, WaitsFor};
use crate::virtual_machine::build::build;
use crate::virtual_machine::validate::{Refused, Valid};

impl Scene<'_> {
    pub(super) fn settled(&self, valid: &Result<Valid<'_>, Refused>) -> Plan {
        let plan = Plan {
            migration: None,
            ..self.unchanged()
        };
        let valid = match valid {
            Ok(valid) => valid,
            Err(refused) => return plan.blocked(refused.clone()),
        };
        let request = self.request(valid);
        let Some(current) = current(self.found.vm, &self.machines, &self.sites) else {
            let placed = self.unplaced(valid, &request, &plan);
            return placed.unwrap_or_else(|refused| plan.blocked(refused));
        };
        match decide(&request, &current) {
            Decision::Move { to, .. } => self.leaving(*valid, current, &to),
            decision => {
                let today = stay(&request, &current);
                let plan = self.stays(&current, decision, today.as_ref(), plan);
                let kept = self.staying(valid, &request, &current, today, &plan);
                kept.unwrap_or_else(|refused| plan.blocked(refused))
            }
        }
    }

    /// The first place.
    fn unplaced(
        &self,
        valid: &Valid<'_>,
        request: &Request<'_>,
        plan: &Plan,
    ) -> Result<Plan, Refused> {
        let place = schedule(request)?;
        let (machine, held) = build(self.found, valid, &place, None)?;
        Ok(Plan {
            scheduled: Some(place.scheduled(self.digest())),
            decision: Some(Decision::Keep { confirmed: true }),
            held,
            effect: Effect::Make(Box::new(machine)),
            ..plan.clone()
        })
    }

    /// What is recorded of a machine that stays, whatever is done to its object.
    fn stays(
        &self,
        current: &Scheduled,
        decision: Decision,
        today: Option<&Placement>,
        plan: Plan,
    ) -> Plan {
        let waits = match &decision {
            Decision::Surface { waiting: true, .. } => Some(WaitsFor::Machines),
            _ if today.is_none() => Some(WaitsFor::Objects),
            _ => None,
        };
        Plan {
            scheduled: Some(kept(self.found.vm, current, &decision, today)),
            decision: Some(decision),
            waits,
            ..plan
        }
    }

    /// What is done to the object of a machine that stays: it is made if it is lost, and brought to
    /// what class and spec say if the place can be told. Nothing is applied onto one that goes.
    fn staying(
        &self,
        valid: &Valid<'_>,
        request: &Request<'_>,
        current: &Scheduled,
        today: Option<Placement>,
        plan: &Plan,
    ) -> Result<Plan, Refused> {
        let (provider, domain) = (&current.provider_name, &current.failure_domain);
        let Some(machine) = self.machines.first() else {
            let place = at(request, provider, domain)?;
            let (machine, held) = build(self.found, valid, &place, None)?;
            return Ok(Plan {
                held,
                effect: Effect::Make(Box::new(machine)),
                ..plan.clone()
            });
        };
        if !machine.is_at(provider, domain) {
            let message = format!("the machine object is not in {provider}/{domain}");
            return Err(Refused::new(Reason::InfraBuildFailed, message));
        }
        let Some(place) = today.filter(|_| !machine.terminating) else {
            return Ok(plan.clone());
        };
        let live = self.found.read.machines.first();
        let (machine, held) = build(self.found, valid, &place, live)?;
        Ok(Plan {
            held,
            effect: Effect::Update(Box::new(machine)),
            ..plan.clone()
        })
    }
}
