//! What work changes, when it begins and when it ends.

use std::time::Duration;

use banlieue_backend::BackendError;
use banlieue_core::machine::{Desired, Disk, Hardware, Identity, Step};
use banlieue_schemas::common::PowerState;
use uuid::Uuid;

use super::World;
use super::machine::{Machine, VirtualDisk};
use super::task::{Purpose, Task, TaskKey};

/// What a machine has right after it was made from an image.
const CPUS: u32 = 1;
const MEMORY_MIB: u32 = 512;

impl World {
    /// Puts the incomplete machine of a [`Step::Create`] in its place: with the disk of its image
    /// and without interfaces. What is left of an earlier one is made anew, but for what persons
    /// attached to it.
    pub(super) fn conceive(
        &mut self,
        identity: &Identity,
        desired: &Desired,
    ) -> Result<(), BackendError> {
        let index = self.zone_at(&desired.place)?;
        let zone = self.zone(index)?;
        let image = zone.image(&desired.image)?;
        let mut disks = Vec::new();
        if let Some(first) = desired.disks.first() {
            disks.push(VirtualDisk {
                name: first.name.clone(),
                size_gib: image.size_gib,
                pool: zone.pool(&first.target)?.to_owned(),
            });
        }
        let host =
            self.dice.draw(&format!("{} host", identity.uuid())) % u64::from(zone.hosts.max(1));
        let host = format!("{}-{}-{}", zone.datacenter, zone.cluster, host + 1);
        let (strange_disks, works) = self
            .machines
            .remove(&identity.uuid())
            .map(|left| (left.strange_disks, left.works))
            .unwrap_or_default();
        self.machines.insert(
            identity.uuid(),
            Machine {
                uid: Some(identity.uid().to_owned()),
                name: desired.name.clone(),
                zone: index,
                host,
                defined: false,
                power: PowerState::PoweredOff,
                hardware: Hardware {
                    cpus: CPUS,
                    memory_mib: MEMORY_MIB,
                    ..desired.hardware
                },
                disks,
                nics: Vec::new(),
                seed: None,
                guest_up: false,
                strange_disks,
                works,
            },
        );
        Ok(())
    }

    /// Ends a piece of work.
    pub(super) fn finish(&mut self, key: TaskKey, at: Duration) {
        let Some(task) = self.tasks.remove(&key) else {
            return;
        };
        let (uuid, _) = key;
        let stamp = self.machines.get(&uuid).and_then(|it| it.uid.clone());
        if let Some(stamp) = stamp {
            self.remember(&Identity::of(stamp));
        }
        match &task.step {
            None => {
                if let Some(machine) = self.machines.get_mut(&uuid) {
                    machine.guest_up = true;
                }
            }
            Some(Step::Delete) if !task.half => self.forget(uuid),
            Some(step) => self.apply(key, step, &task, at),
        }
    }

    fn apply(&mut self, (uuid, _): TaskKey, step: &Step, task: &Task, at: Duration) {
        let Some(machine) = self.machines.get_mut(&uuid) else {
            return;
        };
        match step {
            Step::Create(_) => machine.defined = !task.half,
            Step::Configure { hardware, nics } => {
                machine.hardware.cpus = hardware.cpus;
                machine.hardware.memory_mib = hardware.memory_mib;
                let identity = machine.uid.clone().map(Identity::of);
                let zone = self.spec.zones.get(machine.zone);
                if let (Some(identity), Some(zone), false) = (identity, zone, task.half) {
                    let wired = nics.iter().filter_map(|nic| zone.nic(&identity, nic).ok());
                    machine.nics = wired.collect();
                }
            }
            Step::Disks(disks) => {
                let zone = self.spec.zones.get(machine.zone);
                let all = if task.half { 1 } else { usize::MAX };
                for disk in disks.iter().take(all) {
                    let pool = zone.and_then(|zone| zone.pool(&disk.target).ok());
                    grow(machine, disk, pool.unwrap_or_default());
                }
            }
            Step::Seed { seed, .. } if !task.half => machine.seed = Some(seed.clone()),
            Step::Power { to, .. } if !task.half => self.switch(uuid, *to, at),
            Step::Detach if !task.half => machine.strange_disks.clear(),
            Step::Delete => machine.defined = false,
            Step::Seed { .. } | Step::Power { .. } | Step::Detach => {}
        }
    }

    pub(super) fn switch(&mut self, uuid: Uuid, to: PowerState, at: Duration) {
        let Some(machine) = self.machines.get_mut(&uuid) else {
            return;
        };
        let boots = machine.power == PowerState::PoweredOff && to == PowerState::PoweredOn;
        machine.power = to;
        if to == PowerState::PoweredOff {
            machine.guest_up = false;
            self.tasks.remove(&(uuid, Purpose::Boot));
        }
        if boots {
            self.begin(uuid, None, self.spec.latency.boot, at);
        }
    }
}

/// Adds a disk or grows the one of that name.
fn grow(machine: &mut Machine, want: &Disk, pool: &str) {
    match machine.disks.iter_mut().find(|have| have.name == want.name) {
        Some(have) => have.size_gib = have.size_gib.max(want.size_gib),
        None => machine.disks.push(VirtualDisk {
            name: want.name.clone(),
            size_gib: want.size_gib,
            pool: pool.to_owned(),
        }),
    }
}
