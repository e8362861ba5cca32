//! All of a world, to look at.

use std::time::Duration;

use banlieue_core::machine::{Identity, StepKind};
use banlieue_schemas::common::{Firmware, PowerState};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::World;
use super::machine::Machine;
use super::task::{Task, TaskKey};
use crate::words;

/// What is in a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorldState {
    /// The world's time in milliseconds.
    pub now_ms: u64,
    /// Whether work ends by hand.
    pub single_step: bool,
    /// How many sessions are open.
    pub sessions: usize,
    /// Machines, strangers' included, by UUID.
    pub machines: Vec<MachineState>,
    /// Work that goes on, in the order in which it began.
    pub tasks: Vec<TaskState>,
}

/// A machine, ours or a stranger's, or what is left of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools)] // each one is independent of the others
pub struct MachineState {
    /// UUID.
    pub uuid: Uuid,
    /// Stamp: UID of the object that it belongs to. None on what others made.
    pub uid: Option<String>,
    /// Name for people.
    pub name: String,
    /// Datacenter that it is in.
    pub datacenter: String,
    /// Compute cluster that it is in.
    pub cluster: String,
    /// Host that it is on.
    pub host: String,
    /// Whether it is complete.
    pub defined: bool,
    /// Whether it runs.
    pub power: PowerState,
    /// CPUs.
    pub cpus: u32,
    /// Memory in MiB.
    #[serde(rename = "memoryMiB")]
    pub memory_mib: u32,
    /// Firmware.
    pub firmware: Firmware,
    /// Whether it has a virtual TPM.
    pub tpm: bool,
    /// Disks that were made for it.
    pub disks: Vec<DiskState>,
    /// Interfaces.
    pub nics: Vec<NicState>,
    /// Host name in the seed, once it was written.
    pub hostname: Option<String>,
    /// Size of the user data in the seed.
    pub user_data_bytes: usize,
    /// Whether the guest is up.
    pub guest_up: bool,
    /// Disks that others attached.
    pub strange_disks: Vec<String>,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiskState {
    /// Name.
    pub name: String,
    /// Size in GiB.
    #[serde(rename = "sizeGiB")]
    pub size_gib: u32,
    /// Pool that it lies in.
    pub pool: String,
}

/// An interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NicState {
    /// Name.
    pub name: String,
    /// MAC address.
    pub mac: String,
    /// Network that it is attached to.
    pub network: String,
}

/// Work that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskState {
    /// Number.
    pub id: u64,
    /// UUID of the machine.
    pub machine: Uuid,
    /// The step. None while a guest boots.
    pub step: Option<StepWord>,
    /// When it ends by itself, in milliseconds of the world's time. None means never.
    pub ends_ms: Option<u64>,
}

/// A kind of step as JSON has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepWord(#[serde(with = "words::step_kind")] pub StepKind);

impl World {
    /// What is in the world.
    pub fn state(&self) -> WorldState {
        let mut tasks: Vec<TaskState> = self.tasks.iter().map(task).collect();
        tasks.sort_by_key(|task| task.id);
        WorldState {
            now_ms: millis(self.now),
            single_step: self.spec.single_step,
            sessions: self.sessions.len(),
            machines: self
                .machines
                .iter()
                .map(|(uuid, machine)| self.shown_machine(*uuid, machine))
                .collect(),
            tasks,
        }
    }

    fn shown_machine(&self, uuid: Uuid, machine: &Machine) -> MachineState {
        let zone = self.spec.zones.get(machine.zone);
        let seed = machine.seed.as_ref();
        let user_data = seed.and_then(|seed| seed.user_data.as_ref());
        MachineState {
            uuid,
            uid: machine.uid.clone(),
            name: machine.name.clone(),
            datacenter: zone.map(|it| it.datacenter.clone()).unwrap_or_default(),
            cluster: zone.map(|it| it.cluster.clone()).unwrap_or_default(),
            host: machine.host.clone(),
            defined: machine.defined,
            power: machine.power,
            cpus: machine.hardware.cpus,
            memory_mib: machine.hardware.memory_mib,
            firmware: machine.hardware.firmware,
            tpm: machine.hardware.tpm,
            disks: machine
                .disks
                .iter()
                .map(|disk| DiskState {
                    name: disk.name.clone(),
                    size_gib: disk.size_gib,
                    pool: disk.pool.clone(),
                })
                .collect(),
            nics: machine
                .nics
                .iter()
                .map(|nic| NicState {
                    name: nic.name.clone(),
                    mac: nic.mac.clone(),
                    network: nic.network.clone(),
                })
                .collect(),
            hostname: seed.map(|seed| seed.hostname.clone()),
            user_data_bytes: user_data.map_or(0, String::len),
            guest_up: machine.guest_up,
            strange_disks: machine.strange_disks.clone(),
        }
    }
}

impl WorldState {
    /// The machines that carry the stamp of an object, what is left of them included.
    pub fn of<'a>(&'a self, identity: &Identity) -> impl Iterator<Item = &'a MachineState> {
        let uid = identity.uid().to_owned();
        self.machines
            .iter()
            .filter(move |machine| machine.uid.as_deref() == Some(&uid))
    }
}

fn task((key, task): (&TaskKey, &Task)) -> TaskState {
    TaskState {
        id: task.id,
        machine: key.0,
        step: task.step.as_ref().map(|step| StepWord(step.kind())),
        ends_ms: task.ends.map(millis),
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
