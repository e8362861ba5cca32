//! Finding things in zones, and what is free there.

use banlieue_backend::{BackendError, ErrorKind};
use banlieue_core::inventory::{Capacity, Survey, Zone};
use banlieue_core::machine::{Identity, Nic};
use banlieue_schemas::common::StringMap;

use super::machine::VirtualNic;
use super::spec::{ImageSpec, ZoneSpec};
use super::{World, guest, machine::Machine};

/// Key of a storage class's target.
const POOL: &str = "pool";
/// Key of a network class's target.
const NETWORK: &str = "network";

impl ZoneSpec {
    /// The image that this hypervisor calls `reference`.
    pub(super) fn image(&self, reference: &str) -> Result<&ImageSpec, BackendError> {
        self.images
            .iter()
            .find(|image| self.reference(&image.name) == reference)
            .ok_or_else(|| self.lacks("image", reference))
    }

    /// The pool of a disk with this target.
    pub(super) fn pool(&self, target: &StringMap) -> Result<&str, BackendError> {
        let wanted = target.get(POOL);
        let mut pools = self.storage.iter().map(|pool| pool.pool.as_str());
        pools
            .find(|pool| wanted.is_none_or(|wanted| pool == wanted))
            .ok_or_else(|| self.lacks("storage", &terms(target)))
    }

    /// The interface that is wanted, attached to its network.
    pub(super) fn nic(&self, identity: &Identity, nic: &Nic) -> Result<VirtualNic, BackendError> {
        let wanted = nic.target.get(NETWORK);
        let mut networks = self.networks.iter();
        let network = networks
            .find(|network| wanted.is_none_or(|wanted| *network == wanted))
            .ok_or_else(|| self.lacks("network", &terms(&nic.target)))?;
        let mac = nic.mac.as_ref().map(|mac| mac.to_ascii_lowercase());
        Ok(VirtualNic {
            name: nic.name.clone(),
            mac: mac.unwrap_or_else(|| guest::mac(identity.uuid(), &nic.name)),
            network: network.clone(),
            address: nic.address.clone(),
        })
    }

    /// Whether machines here can have a feature.
    pub(super) fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|have| have == feature)
    }

    fn lacks(&self, what: &str, name: &str) -> BackendError {
        let Self {
            datacenter,
            cluster,
            ..
        } = self;
        BackendError::new(
            ErrorKind::NotFound,
            format!("there is no {what} {name} in zone {datacenter}/{cluster}"),
        )
    }
}

impl World {
    /// Index of the zone at that place.
    pub(super) fn zone_at(&self, place: &StringMap) -> Result<usize, BackendError> {
        self.spec
            .zones
            .iter()
            .position(|zone| zone.place() == *place)
            .ok_or_else(|| {
                let message = format!("there is no zone {}", terms(place));
                BackendError::new(ErrorKind::NotFound, message)
            })
    }

    /// What is left of a pool in GiB: of its size, what is neither on a disk nor promised to one.
    pub(super) fn free_space(&self, zone: usize, pool: &str) -> u64 {
        let size = self.spec.zones.get(zone).map_or(0, |zone| {
            let pools = zone.storage.iter().filter(|it| it.pool == pool);
            pools.map(|pool| pool.size_gib).sum()
        });
        let here = self.machines.iter().filter(|(_, m)| m.zone == zone);
        let used: u64 = here
            .map(|(uuid, machine)| {
                let tasks = self.tasks_of(*uuid);
                let reserved = tasks.flat_map(|task| &task.reserved);
                on_disks(machine, pool)
                    + reserved
                        .filter(|(name, _)| name == pool)
                        .map(|(_, gib)| gib)
                        .sum::<u64>()
            })
            .sum();
        size.saturating_sub(used)
    }

    /// Everything that there is.
    pub(super) fn survey(&self) -> Survey {
        let zones = self.spec.zones.iter().enumerate();
        Survey {
            version: format!("simulator {}", env!("CARGO_PKG_VERSION")),
            zones: zones.map(|(index, zone)| self.shown(index, zone)).collect(),
        }
    }

    fn shown(&self, index: usize, zone: &ZoneSpec) -> Zone {
        let here = || self.machines.values().filter(|m| m.zone == index);
        let cpus: u32 = here().map(|m| m.hardware.cpus).sum();
        let memory: u64 = here().map(|m| u64::from(m.hardware.memory_mib)).sum();
        let pools = zone.storage.iter().map(|it| &it.pool);
        Zone {
            datacenter: zone.datacenter.clone(),
            cluster: zone.cluster.clone(),
            storage: pools.clone().map(|pool| term(POOL, pool)).collect(),
            networks: zone.networks.iter().map(|n| term(NETWORK, n)).collect(),
            features: zone.features.clone(),
            free: Some(Capacity {
                cpus: Some(zone.cpus.saturating_sub(cpus)),
                memory_mib: Some(zone.memory_mib.saturating_sub(memory)),
                storage_gib: pools
                    .map(|pool| (pool.clone(), self.free_space(index, pool)))
                    .collect(),
            }),
            raw: zone.place(),
        }
    }
}

fn on_disks(machine: &Machine, pool: &str) -> u64 {
    let disks = machine.disks.iter().filter(|disk| disk.pool == pool);
    disks.map(|disk| u64::from(disk.size_gib)).sum()
}

fn term(key: &str, value: &str) -> StringMap {
    StringMap::from([(key.to_owned(), value.to_owned())])
}

/// A place or target in one line.
fn terms(map: &StringMap) -> String {
    let pairs: Vec<String> = map.iter().map(|(k, v)| format!("{k}={v}")).collect();
    pairs.join(",")
}
