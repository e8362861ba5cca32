//! A machine that is made again elsewhere. A move goes on, whatever else is wrong; only the new
//! object needs a valid machine.

use banlieue_core::migration::{Step, advance, begin, step, target};
use banlieue_core::schedule::Placement;
use banlieue_schemas::platform::{Migration, Scheduled};
use kube::ResourceExt;

use super::{Effect, Plan, Scene};
use crate::virtual_machine::build::build;
use crate::virtual_machine::validate::{Refused, Valid};

impl Scene<'_> {
    /// The move begins. Nothing of it is done before it is recorded.
    pub(super) fn leaving(&self, valid: Valid<'_>, current: Scheduled, to: &Placement) -> Plan {
        let from = (&*current.provider_name, &*current.failure_domain);
        let name = self.found.vm.name_any();
        let migration = begin(from, self.machines.first(), &name, to);
        let plan = self.moving(&Ok(valid), &migration);
        Plan {
            scheduled: plan.scheduled.or(Some(current)),
            ..plan
        }
    }

    /// The next step of a move.
    pub(super) fn moving(&self, valid: &Result<Valid<'_>, Refused>, migration: &Migration) -> Plan {
        let step = step(migration, &self.machines);
        let under_way = Plan {
            migration: advance(migration, &step, &self.found.vm.name_any(), None),
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
            Step::CreateNew => {
                let arriving = valid.clone();
                let arriving = arriving.and_then(|it| self.arriving(&it, migration, &under_way));
                arriving.unwrap_or_else(|refused| under_way.blocked(refused))
            }
            Step::Finished => self.settled(valid),
        }
    }

    /// The old object is gone, and the new one is made.
    fn arriving(
        &self,
        valid: &Valid<'_>,
        migration: &Migration,
        under_way: &Plan,
    ) -> Result<Plan, Refused> {
        let place = target(&self.request(valid), migration)?;
        let (machine, held) = build(self.found, valid, &place, None)?;
        let name = self.found.vm.name_any();
        Ok(Plan {
            scheduled: Some(place.scheduled(self.digest())),
            migration: advance(migration, &Step::CreateNew, &name, Some(&place)),
            held,
            effect: Effect::Make(Box::new(machine)),
            ..under_way.clone()
        })
    }
}
