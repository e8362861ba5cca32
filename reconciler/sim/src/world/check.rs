//! Whether a step can be done, before anything is touched.

use std::collections::BTreeMap;

use banlieue_backend::{BackendError, ErrorKind};
use banlieue_core::machine::{Desired, Disk, Hardware, Identity, Nic, Seed, Step};
use banlieue_schemas::common::{Firmware, PowerState};

use super::World;
use super::machine::Machine;
use super::spec::ZoneSpec;

/// A step that can be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// There is nothing to do.
    Already,
    /// There is, and it will need this much space: pool and GiB.
    Begin(Vec<(String, u64)>),
}

impl World {
    /// Says whether a step can be done.
    pub(super) fn check(&self, identity: &Identity, step: &Step) -> Result<Verdict, BackendError> {
        let machine = self.machines.get(&identity.uuid());
        if machine.is_some_and(|machine| !machine.is_of(identity)) {
            return refuse("a machine with this UUID does not carry our stamp");
        }
        match (step, machine) {
            (Step::Create(_), Some(machine)) if machine.defined => Ok(Verdict::Already),
            (Step::Create(desired), _) => self.check_create(identity, desired),
            (Step::Delete, None) => Ok(Verdict::Already),
            (Step::Delete, Some(machine)) => check_delete(machine),
            // The world moved since the client looked.
            (_, None) => error(ErrorKind::Retry, "the machine is not there"),
            // Of what is left of a machine, too.
            (Step::Detach, Some(machine)) if machine.strange_disks.is_empty() => {
                Ok(Verdict::Already)
            }
            (Step::Detach, Some(_)) => begin(),
            (_, Some(machine)) if !machine.defined => {
                error(ErrorKind::Retry, "the machine is not complete")
            }
            (Step::Configure { hardware, nics }, Some(machine)) => {
                self.check_configure(identity, machine, *hardware, nics)
            }
            (Step::Disks(disks), Some(machine)) => self.check_disks(machine, disks),
            (Step::Seed { seed, .. }, Some(machine)) => self.check_seed(machine, seed),
            (Step::Power { to, hard }, Some(machine)) => self.check_power(machine, *to, *hard),
        }
    }

    fn check_create(
        &self,
        identity: &Identity,
        desired: &Desired,
    ) -> Result<Verdict, BackendError> {
        let index = self.zone_at(&desired.place)?;
        let zone = self.zone(index)?;
        zone.image(&desired.image)?;
        for nic in &desired.nics {
            zone.nic(identity, nic)?;
        }
        let can = self.spec.abilities;
        if desired.hardware.firmware == Firmware::EfiSecure
            && !(can.secure_boot && zone.has("efiSecureBoot"))
        {
            return unsupported("Secure Boot is not to be had here");
        }
        if desired.hardware.tpm && !(can.tpm && zone.has("vtpm")) {
            return unsupported("virtual TPMs are not to be had here");
        }
        self.check_size(&desired.seed)?;
        if desired.disks.is_empty() {
            return refuse("a machine needs a disk");
        }
        let taken = self.machines.iter().any(|(uuid, other)| {
            let there = self.spec.zones.get(other.zone);
            other.name == desired.name
                && *uuid != identity.uuid()
                && there.is_some_and(|there| there.datacenter == zone.datacenter)
        });
        if taken {
            return refuse(&format!("a machine named {} exists", desired.name));
        }
        let mut needed = BTreeMap::new();
        for disk in &desired.disks {
            let pool = zone.pool(&disk.target)?;
            *needed.entry(pool.to_owned()).or_default() += u64::from(disk.size_gib);
        }
        self.check_space(index, &needed)?;
        begin()
    }

    fn check_configure(
        &self,
        identity: &Identity,
        machine: &Machine,
        want: Hardware,
        nics: &[Nic],
    ) -> Result<Verdict, BackendError> {
        let zone = self.zone(machine.zone)?;
        let wired: Result<Vec<_>, _> = nics.iter().map(|nic| zone.nic(identity, nic)).collect();
        let rewire = wired? != machine.nics;
        let have = machine.hardware;
        if !rewire && (want.cpus, want.memory_mib) == (have.cpus, have.memory_mib) {
            return Ok(Verdict::Already);
        }
        let can = self.spec.abilities;
        match machine.power {
            PowerState::Suspended => refuse("a suspended machine cannot be changed"),
            PowerState::PoweredOn if rewire && !can.hot_nics => {
                unsupported("interfaces of a running machine cannot be changed")
            }
            PowerState::PoweredOn if !grows(want.cpus, have.cpus, can.hot_add_cpus) => {
                unsupported("CPUs of a running machine cannot be changed so")
            }
            PowerState::PoweredOn
                if !grows(want.memory_mib, have.memory_mib, can.hot_add_memory) =>
            {
                unsupported("memory of a running machine cannot be changed so")
            }
            PowerState::PoweredOff | PowerState::PoweredOn => begin(),
        }
    }

    fn check_disks(&self, machine: &Machine, disks: &[Disk]) -> Result<Verdict, BackendError> {
        let zone = self.zone(machine.zone)?;
        let mut needed: BTreeMap<String, u64> = BTreeMap::new();
        for want in disks {
            let have = machine.disks.iter().find(|have| have.name == want.name);
            let pool = match have {
                Some(have) => have.pool.as_str(),
                None => zone.pool(&want.target)?,
            };
            let more = want
                .size_gib
                .saturating_sub(have.map_or(0, |have| have.size_gib));
            if more > 0 {
                *needed.entry(pool.to_owned()).or_default() += u64::from(more);
            }
        }
        if needed.is_empty() {
            return Ok(Verdict::Already);
        }
        match machine.power {
            PowerState::Suspended => return refuse("a suspended machine cannot be changed"),
            PowerState::PoweredOn if !self.spec.abilities.hot_disks => {
                return unsupported("disks of a running machine cannot be changed");
            }
            PowerState::PoweredOn | PowerState::PoweredOff => {}
        }
        self.check_space(machine.zone, &needed)?;
        Ok(Verdict::Begin(needed.into_iter().collect()))
    }

    fn check_seed(&self, machine: &Machine, seed: &Seed) -> Result<Verdict, BackendError> {
        if machine.seed.is_some() {
            return Ok(Verdict::Already);
        }
        self.check_size(seed)?;
        if machine.power != PowerState::PoweredOff {
            return refuse("a seed is written before the first boot");
        }
        begin()
    }

    fn check_power(
        &self,
        machine: &Machine,
        to: PowerState,
        hard: bool,
    ) -> Result<Verdict, BackendError> {
        match (machine.power, to) {
            (_, PowerState::Suspended) if !self.spec.abilities.suspend => {
                unsupported("machines cannot be suspended")
            }
            (have, to) if have == to => Ok(Verdict::Already),
            (PowerState::PoweredOff, PowerState::Suspended) => {
                refuse("only a running machine can be suspended")
            }
            (PowerState::Suspended, PowerState::PoweredOff) if !hard => {
                refuse("a suspended guest cannot shut down")
            }
            _ => begin(),
        }
    }

    fn check_size(&self, seed: &Seed) -> Result<(), BackendError> {
        let bytes = seed.user_data.as_ref().map_or(0, String::len);
        let most = self.spec.abilities.max_user_data;
        if bytes > most {
            return unsupported(&format!("user data has {bytes} bytes, at most {most} fit"));
        }
        Ok(())
    }

    fn check_space(&self, zone: usize, needed: &BTreeMap<String, u64>) -> Result<(), BackendError> {
        for (pool, gib) in needed {
            if *gib > self.free_space(zone, pool) {
                return refuse(&format!("there is no space for {gib} GiB in pool {pool}"));
            }
        }
        Ok(())
    }

    /// The zone with that index.
    pub(super) fn zone(&self, index: usize) -> Result<&ZoneSpec, BackendError> {
        self.spec
            .zones
            .get(index)
            .ok_or_else(|| BackendError::new(ErrorKind::NotFound, "the zone is gone"))
    }
}

fn check_delete(machine: &Machine) -> Result<Verdict, BackendError> {
    if machine.power != PowerState::PoweredOff {
        return refuse("a running machine cannot be removed");
    }
    if !machine.strange_disks.is_empty() {
        return refuse("a disk that was not made for the machine is attached");
    }
    begin()
}

fn grows(want: u32, have: u32, hot: bool) -> bool {
    want == have || (want > have && hot)
}

#[allow(clippy::unnecessary_wraps)] // reads like its neighbours
fn begin() -> Result<Verdict, BackendError> {
    Ok(Verdict::Begin(Vec::new()))
}

fn refuse<T>(message: &str) -> Result<T, BackendError> {
    error(ErrorKind::Refused, message)
}

fn unsupported<T>(message: &str) -> Result<T, BackendError> {
    error(ErrorKind::Unsupported, message)
}

fn error<T>(kind: ErrorKind, message: &str) -> Result<T, BackendError> {
    Err(BackendError::new(kind, message))
}
