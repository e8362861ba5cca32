//! What persons do on the hypervisor, past its clients.

use banlieue_core::machine::{Hardware, Identity};
use banlieue_schemas::common::PowerState;
use uuid::Uuid;

use super::World;
use super::machine::{Machine, VirtualDisk};
use super::spec::ImageSpec;
use super::task::Purpose;

/// Namespace of the UUIDs of strangers' machines.
const STRANGERS: Uuid = Uuid::from_u128(0x51a5_0000_0000_4000_8000_0000_0000_0001);

impl World {
    /// Removes a machine, or all of it but its disks. False when there is none.
    pub fn remove_by_hand(&mut self, identity: &Identity, leave_disks: bool) -> bool {
        let uuid = identity.uuid();
        if !self.machines.contains_key(&uuid) {
            return false;
        }
        self.remember(identity);
        if leave_disks {
            self.tasks.remove(&(uuid, Purpose::Step));
            self.tasks.remove(&(uuid, Purpose::Boot));
            if let Some(machine) = self.machines.get_mut(&uuid) {
                machine.defined = false;
                machine.power = PowerState::PoweredOff;
                machine.guest_up = false;
            }
        } else {
            self.forget(uuid);
        }
        true
    }

    /// Makes a running machine without our stamp in the zone with that index, under any UUID or the
    /// given one. False when there is no such zone or the UUID is taken.
    pub fn place_stranger(&mut self, name: &str, zone: usize, uuid: Option<Uuid>) -> bool {
        let uuid = uuid.unwrap_or_else(|| Uuid::new_v5(&STRANGERS, name.as_bytes()));
        let Some(spec) = self.spec.zones.get(zone) else {
            return false;
        };
        if self.machines.contains_key(&uuid) {
            return false;
        }
        let pool = spec.storage.first().map(|pool| pool.pool.clone());
        let machine = Machine {
            uid: None,
            name: name.to_owned(),
            zone,
            host: format!("{}-{}-1", spec.datacenter, spec.cluster),
            defined: true,
            power: PowerState::PoweredOn,
            hardware: Hardware {
                cpus: 1,
                memory_mib: 512,
                ..Hardware::default()
            },
            disks: vec![VirtualDisk {
                name: "data".to_owned(),
                size_gib: 1,
                pool: pool.unwrap_or_default(),
            }],
            nics: Vec::new(),
            seed: None,
            guest_up: true,
            strange_disks: Vec::new(),
            works: 0,
        };
        self.machines.insert(uuid, machine);
        true
    }

    /// Attaches a disk that was not made for the machine. False when there is no machine.
    pub fn attach_by_hand(&mut self, identity: &Identity, disk: &str) -> bool {
        self.by_hand(identity, |machine| {
            machine.strange_disks.push(disk.to_owned());
        })
    }

    /// Switches a machine at once, as far as a person could. False when that cannot be done: there
    /// is no complete machine, or one that does not run would be suspended.
    pub fn switch_by_hand(&mut self, identity: &Identity, to: PowerState) -> bool {
        let machine = self.machines.get(&identity.uuid());
        let possible = machine.is_some_and(|machine| {
            let off = machine.power == PowerState::PoweredOff;
            machine.defined && !(off && to == PowerState::Suspended)
        });
        if possible {
            self.remember(identity);
            self.switch(identity.uuid(), to, self.now);
        }
        possible
    }

    /// Changes the password that clients have to show, and ends every session: what was begun with
    /// the former one is over. None means that everybody may come in.
    pub fn set_password(&mut self, password: Option<String>) {
        self.spec.password = password;
        self.sessions.clear();
    }

    /// Puts an image into a zone, in place of the one of that name. False when there is no zone.
    pub fn put_image(&mut self, datacenter: &str, cluster: &str, image: ImageSpec) -> bool {
        self.images(datacenter, cluster, |images| {
            images.retain(|have| have.name != image.name);
            images.push(image);
        })
    }

    /// Removes an image from a zone. False when there is no zone.
    pub fn remove_image(&mut self, datacenter: &str, cluster: &str, name: &str) -> bool {
        self.images(datacenter, cluster, |images| {
            images.retain(|have| have.name != name);
        })
    }

    /// What the guest of a machine reads on its first boot.
    pub fn user_data(&self, identity: &Identity) -> Option<&str> {
        let seed = self.machines.get(&identity.uuid())?.seed.as_ref()?;
        seed.user_data.as_deref()
    }

    fn by_hand(&mut self, identity: &Identity, change: impl FnOnce(&mut Machine)) -> bool {
        self.remember(identity);
        let machine = self.machines.get_mut(&identity.uuid());
        machine.map(change).is_some()
    }

    fn images(
        &mut self,
        datacenter: &str,
        cluster: &str,
        change: impl FnOnce(&mut Vec<ImageSpec>),
    ) -> bool {
        let mut zones = self.spec.zones.iter_mut();
        let zone = zones.find(|zone| zone.datacenter == datacenter && zone.cluster == cluster);
        zone.map(|zone| change(&mut zone.images)).is_some()
    }
}
