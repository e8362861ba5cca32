//! What storage and network classes of a machine mean in its zone. Pure.

use banlieue_core::machine::{Address, Disk, Nic};
use banlieue_schemas::common::{IpamSpec, StringMap};
use banlieue_schemas::conditions::Reason;
use banlieue_schemas::infrastructure::{MachineDisk, MachineNic};
use banlieue_schemas::platform::{Capabilities, FailureDomain, Provider, ZoneTarget};

use crate::problem::Problem;

/// What the names of classes mean in one zone.
pub(super) struct Classes<'a> {
    pub(super) provider: &'a Provider,
    pub(super) zone: &'a FailureDomain,
    /// A machine that exists may use what the zone no longer shows.
    pub(super) exists: bool,
}

impl<'a> Classes<'a> {
    /// The disk with its target.
    pub(super) fn disk(&self, disk: MachineDisk<'_>) -> Result<Disk, Problem> {
        let target = match disk.storage_class {
            Some(class) if disk.target.is_empty() => self.storage(class)?,
            _ => disk.target,
        };
        Ok(Disk {
            name: disk.name.to_owned(),
            size_gib: disk.size_gib,
            target,
            provisioning: disk.provisioning,
        })
    }

    /// The interface with its target.
    pub(super) fn nic(&self, nic: MachineNic<'_>) -> Result<Nic, Problem> {
        let target = match nic.network_class {
            Some(class) if nic.target.is_empty() => self.network(class)?,
            _ => nic.target,
        };
        Ok(Nic {
            name: nic.name.to_owned(),
            target,
            mac: nic.mac.map(str::to_ascii_lowercase),
            address: address(nic.name, nic.ipam)?,
        })
    }

    fn storage(&self, class: &str) -> Result<StringMap, Problem> {
        let declared = self.offered().flat_map(|offered| &offered.storage_classes);
        let mut declared = declared.filter(|declared| declared.name == class);
        let target = declared
            .next()
            .and_then(|it| self.target(&it.per_zone, it.target.as_ref()));
        let shown = &self.zone.attributes.available_storage_classes;
        self.available(shown, class, target)
            .ok_or_else(|| self.lacks(Reason::StorageClassUnavailable, "storage", class))
    }

    fn network(&self, class: &str) -> Result<StringMap, Problem> {
        let declared = self.offered().flat_map(|offered| &offered.network_classes);
        let mut declared = declared.filter(|declared| declared.name == class);
        let target = declared
            .next()
            .and_then(|it| self.target(&it.per_zone, it.target.as_ref()));
        let shown = &self.zone.attributes.available_network_classes;
        self.available(shown, class, target)
            .ok_or_else(|| self.lacks(Reason::NetworkClassUnavailable, "network", class))
    }

    fn offered(&self) -> impl Iterator<Item = &'a Capabilities> {
        self.provider.spec.capabilities.iter()
    }

    fn target(&self, per_zone: &[ZoneTarget], default: Option<&StringMap>) -> Option<StringMap> {
        let label = |key| self.zone.labels.get(key).map(String::as_str);
        let own = per_zone.iter().find(|entry| {
            label("datacenter") == Some(entry.datacenter.as_str())
                && label("cluster") == Some(entry.cluster.as_str())
        });
        own.map(|entry| &entry.target).or(default).cloned()
    }

    fn available(
        &self,
        shown: &[String],
        class: &str,
        target: Option<StringMap>,
    ) -> Option<StringMap> {
        let shown = self.exists || shown.iter().any(|shown| shown == class);
        target.filter(|_| shown)
    }

    fn lacks(&self, reason: Reason, what: &str, class: &str) -> Problem {
        let zone = &self.zone.name;
        let message = format!("failure domain {zone} has no {what} class {class}");
        Problem::waiting(reason, message)
    }
}

fn address(nic: &str, ipam: &IpamSpec) -> Result<Option<Address>, Problem> {
    if ipam.pool.is_some() {
        let message = format!("interface {nic} takes its address from a pool: give it a fixed one");
        return Err(Problem::stalled(Reason::Unsupported, message));
    }
    Ok(ipam.fixed.as_ref().map(|fixed| Address {
        address: fixed.address.clone(),
        prefix: fixed.prefix,
        gateway: fixed.gateway.clone(),
        nameservers: fixed.nameservers.clone(),
        domain: fixed.domain.clone(),
    }))
}
