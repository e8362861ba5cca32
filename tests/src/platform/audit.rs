//! Looks at all hypervisors of a case after every call to one of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use banlieue_sim::Simulator;
use banlieue_sim::world::state::MachineState;

use super::gate::Gate;

/// The hypervisors of a case.
pub struct Audit {
    simulators: Vec<Arc<Simulator>>,
    /// How many machines they may hold together.
    most: usize,
}

impl Audit {
    /// An audit of these, which together hold `most` machines at any time.
    pub fn new(simulators: Vec<Arc<Simulator>>, most: usize) -> Arc<Self> {
        Arc::new(Self { simulators, most })
    }

    /// UIDs on machines, complete or not, of every hypervisor; strangers' machines are left out.
    pub fn stamps(&self) -> Vec<String> {
        self.ours().filter_map(|machine| machine.uid).collect()
    }

    /// Size of the user data of each of these machines.
    pub fn user_data(&self) -> Vec<usize> {
        self.ours().map(|machine| machine.user_data_bytes).collect()
    }

    fn ours(&self) -> impl Iterator<Item = MachineState> {
        let worlds = self
            .simulators
            .iter()
            .map(|simulator| simulator.with(|world| world.state()));
        let machines = worlds.flat_map(|world| world.machines);
        machines.filter(|machine| machine.uid.is_some())
    }

    /// Tells the gate when there are too many machines, or work on too many. Machines come into being by a
    /// call alone, so that no such moment is missed.
    pub(super) fn look(&self, gate: &Gate) {
        let mut all = BTreeSet::new();
        for (at, simulator) in self.simulators.iter().enumerate() {
            let world = simulator.with(|world| world.state());
            let ours = world
                .machines
                .iter()
                .filter(|machine| machine.uid.is_some());
            let worked_on = world.tasks.iter().map(|task| task.machine);
            all.extend(
                ours.map(|machine| machine.uuid)
                    .chain(worked_on)
                    .map(|uuid| (at, uuid)),
            );
        }
        if all.len() > self.most {
            gate.violated(format!("too many machines at once: {all:?}"));
        }
    }
}
