//! The machine object of each backend. It carries class names and the failure domain; what those
//! are on the backend, the provider looks up itself.

use banlieue_schemas::common::LocalObjectReference;
use banlieue_schemas::infrastructure::libvirt::{LibvirtDisk, LibvirtNetwork};
use banlieue_schemas::infrastructure::sim::{SimDisk, SimNetwork};
use banlieue_schemas::infrastructure::vsphere::{VSphereDisk, VSphereNetwork};
use banlieue_schemas::infrastructure::{LibvirtMachineSpec, SimMachineSpec, VSphereMachineSpec};
use banlieue_schemas::labels;
use kube::ResourceExt;

use super::{Input, Nic};
use crate::hardware::Hardware;

pub(super) fn sim(input: &Input<'_>, hardware: Hardware, nics: Vec<Nic>) -> SimMachineSpec {
    SimMachineSpec {
        provider_id: None,
        failure_domain: Some(input.placement.failure_domain.clone()),
        provider_ref: Some(provider(input)),
        image_ref: input.vm.spec.image_ref.clone(),
        num_cpus: hardware.cpus,
        memory_mib: hardware.memory_mib,
        firmware: input.class.spec.firmware(),
        tpm_enabled: input.class.spec.tpm_enabled(),
        disks: hardware
            .disks
            .into_iter()
            .map(|disk| SimDisk {
                name: disk.name,
                size_gib: disk.size_gib,
                storage_class: Some(disk.storage_class),
            })
            .collect(),
        network: nics
            .into_iter()
            .map(|nic| SimNetwork {
                name: nic.name,
                network_class: Some(nic.network_class),
                mac_address: None,
                ipam: nic.ipam,
            })
            .collect(),
        user_data: input.user_data.map(str::to_owned),
        desired_power_state: input.vm.spec.desired_power_state(),
    }
}

pub(super) fn libvirt(input: &Input<'_>, hardware: Hardware, nics: Vec<Nic>) -> LibvirtMachineSpec {
    LibvirtMachineSpec {
        failure_domain: Some(input.placement.failure_domain.clone()),
        provider_ref: Some(provider(input)),
        image_ref: input.vm.spec.image_ref.clone(),
        vcpus: hardware.cpus,
        memory_mib: hardware.memory_mib,
        firmware: input.class.spec.firmware(),
        tpm_enabled: input.class.spec.tpm_enabled(),
        disks: hardware
            .disks
            .into_iter()
            .map(|disk| LibvirtDisk {
                name: disk.name,
                size_gib: disk.size_gib,
                storage_class: Some(disk.storage_class),
                ..LibvirtDisk::default()
            })
            .collect(),
        network: nics
            .into_iter()
            .map(|nic| LibvirtNetwork {
                name: nic.name,
                network_class: Some(nic.network_class),
                ipam: nic.ipam,
                ..LibvirtNetwork::default()
            })
            .collect(),
        user_data: input.user_data.map(str::to_owned),
        desired_power_state: input.vm.spec.desired_power_state(),
        ..LibvirtMachineSpec::default()
    }
}

pub(super) fn vsphere(input: &Input<'_>, hardware: Hardware, nics: Vec<Nic>) -> VSphereMachineSpec {
    VSphereMachineSpec {
        failure_domain: Some(input.placement.failure_domain.clone()),
        provider_ref: Some(provider(input)),
        image_ref: input.vm.spec.image_ref.clone(),
        num_cpus: hardware.cpus,
        memory_mib: hardware.memory_mib,
        firmware: input.class.spec.firmware(),
        tpm_enabled: input.class.spec.tpm_enabled(),
        disks: hardware
            .disks
            .into_iter()
            .map(|disk| VSphereDisk {
                provisioning: disk.provisioning(),
                name: disk.name,
                size_gib: disk.size_gib,
                storage_class: Some(disk.storage_class),
            })
            .collect(),
        network: nics
            .into_iter()
            .map(|nic| VSphereNetwork {
                name: nic.name,
                network_class: Some(nic.network_class),
                ipam: nic.ipam,
                ..VSphereNetwork::default()
            })
            .collect(),
        folder: input.vm.spec.folder.clone(),
        created_by: input.vm.annotations().get(labels::CREATED_BY).cloned(),
        user_data: input.user_data.map(str::to_owned),
        desired_power_state: input.vm.spec.desired_power_state(),
        ..VSphereMachineSpec::default()
    }
}

fn provider(input: &Input<'_>) -> LocalObjectReference {
    LocalObjectReference {
        name: input.placement.provider.clone(),
    }
}
