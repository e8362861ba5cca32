//! The simulator's machine, as its provider process sees it.

use super::machine::SimPlacement;
use super::{SimMachine, SimMachineStatus};
use crate::common::{DiskProvisioning, Firmware, InitializationStatus, StringMap};
use crate::infrastructure::served::{MachineDisk, MachineNic, MachineReport, ServedMachine};
use crate::platform::Backend;

impl ServedMachine for SimMachine {
    const BACKEND: Backend = Backend::Sim;
    const KIND: &'static str = "SimMachine";

    fn set_provider_id(&mut self, id: String) {
        self.spec.provider_id = Some(id);
    }

    fn firmware(&self) -> Firmware {
        self.spec.firmware
    }

    fn tpm_enabled(&self) -> bool {
        self.spec.tpm_enabled
    }

    fn disks(&self) -> Vec<MachineDisk<'_>> {
        let disks = self.spec.disks.iter().map(|disk| MachineDisk {
            name: &disk.name,
            size_gib: disk.size_gib,
            storage_class: disk.storage_class.as_deref(),
            target: StringMap::new(),
            provisioning: DiskProvisioning::default(),
        });
        disks.collect()
    }

    fn nics(&self) -> Vec<MachineNic<'_>> {
        let nics = self.spec.network.iter().map(|nic| MachineNic {
            name: &nic.name,
            network_class: nic.network_class.as_deref(),
            target: StringMap::new(),
            mac: nic.mac_address.as_deref(),
            ipam: &nic.ipam,
        });
        nics.collect()
    }

    fn reported(&self, report: MachineReport<'_>) -> SimMachineStatus {
        let mut status = self.status.clone().unwrap_or_default();
        if report.provisioned {
            status.initialization = Some(InitializationStatus::done());
        }
        if let Some(seen) = report.seen {
            status.failure_domain = Some(seen.failure_domain.to_owned());
            status.addresses = seen.addresses.to_vec();
            status.observed_power_state = Some(seen.power);
            status.placement = Some(SimPlacement {
                provider: Some(seen.provider.to_owned()),
                host: seen.host.map(str::to_owned),
            });
            status.instance_uuid = Some(seen.uuid);
            status.tpm_attached = seen.tpm.then_some(true);
            if status.guest_installed != Some(true) {
                status.guest_installed = seen.guest_up;
            }
        }
        status.conditions = report.conditions;
        status.observed_generation = report.observed_generation;
        status
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::common::PowerState;
    use crate::infrastructure::served::MachineSeen;

    fn seen(place: &StringMap, guest_up: bool) -> MachineReport<'_> {
        MachineReport {
            seen: Some(MachineSeen {
                uuid: "u".into(),
                provider: "p",
                failure_domain: "fd",
                host: Some("h"),
                place,
                power: PowerState::PoweredOn,
                addresses: &[],
                tpm: false,
                guest_up: Some(guest_up),
            }),
            provisioned: true,
            ..MachineReport::default()
        }
    }

    #[test]
    fn a_report_without_a_sight_keeps_what_was_known() {
        let place = StringMap::new();
        let mut machine = SimMachine::new("m", crate::infrastructure::SimMachineSpec::default());
        machine.status = Some(machine.reported(seen(&place, true)));
        let known = machine.status.clone().unwrap();
        assert_eq!(known.observed_power_state, Some(PowerState::PoweredOn));
        assert_eq!(machine.reported(MachineReport::default()), known);
    }

    #[test]
    fn what_is_one_way_stays_true() {
        let place = StringMap::new();
        let mut machine = SimMachine::new("m", crate::infrastructure::SimMachineSpec::default());
        machine.status = Some(machine.reported(seen(&place, true)));
        let later = machine.reported(MachineReport {
            provisioned: false,
            ..seen(&place, false)
        });
        assert_eq!(later.guest_installed, Some(true));
        assert!(later.initialization.unwrap().is_done());
    }
}
