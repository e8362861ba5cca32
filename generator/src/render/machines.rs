//! Machine specs from machine classes, per backend, and the templates that hold them.

use banlieue_schemas::{
    common::{IpamSpec, LocalObjectReference},
    infrastructure::{
        LibvirtMachineSpec, SimMachineSpec, VSphereMachineSpec,
        libvirt::{LibvirtDisk, LibvirtNetwork},
        sim::{SimDisk, SimNetwork},
        vsphere::{VSphereDisk, VSphereNetwork},
    },
    names::content_hash,
    platform::{Backend, Interface, VmClassSpec},
};
use serde_json::{Value, json};

use super::{
    RenderError,
    object::{metadata, to_value},
};
use crate::plan::names;

/// A machine template of a cluster, named after its content.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineTemplate {
    /// The object.
    pub value: Value,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// Prefix of the infrastructure kinds of a backend.
pub fn kind_prefix(backend: Backend) -> &'static str {
    match backend {
        Backend::Vsphere => "VSphere",
        Backend::Libvirt => "Libvirt",
        Backend::Sim => "Sim",
    }
}

/// Makes the template for one role in a cluster.
///
/// Its name holds a hash of its content without defaults, so that a change of what a machine is
/// makes a new template and rolls exactly its machines, and a change of how it is written does
/// not.
///
/// # Errors
/// A spec that has no JSON form; none of ours.
pub fn template(
    backend: Backend,
    class: &VmClassSpec,
    image: &str,
    owner: Owner<'_>,
    labels: &Value,
) -> Result<MachineTemplate, RenderError> {
    let kind = format!("{}MachineTemplate", kind_prefix(backend));
    let spec = spec(backend, class, image)?;
    let mut content =
        json!({ "kind": kind, "spec": super::object::without(&spec, &defaults(backend)?) });
    if labels.as_object().is_some_and(|labels| !labels.is_empty()) {
        content["labels"] = labels.clone();
    }
    let name = names::template(
        owner.cluster,
        owner.role,
        &content_hash(&content, names::HASH_LENGTH),
    );
    let cluster_label = [(banlieue_schemas::capi::CLUSTER_NAME_LABEL, owner.cluster)];
    let mut template = json!({ "spec": spec });
    if let Some(labels) = content.get("labels") {
        template["metadata"] = json!({ "labels": labels });
    }
    let value = json!({
        "apiVersion": format!("{}/{}", banlieue_schemas::INFRASTRUCTURE_GROUP, banlieue_schemas::VERSION),
        "kind": kind,
        "metadata": metadata(&name, Some(owner.namespace), &cluster_label),
        "spec": { "template": template },
    });
    Ok(MachineTemplate { value, kind, name })
}

/// What a template belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// Name of the cluster.
    pub cluster: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// What the machines are for: `workers` or `cp`.
    pub role: &'a str,
}

fn spec(backend: Backend, class: &VmClassSpec, image: &str) -> Result<Value, RenderError> {
    match backend {
        Backend::Vsphere => to_value("VSphereMachine", &vsphere(class, image)),
        Backend::Libvirt => to_value("LibvirtMachine", &libvirt(class, image)),
        Backend::Sim => to_value("SimMachine", &sim(class, image)),
    }
}

/// A spec of which every field has its default.
fn defaults(backend: Backend) -> Result<Value, RenderError> {
    match backend {
        Backend::Vsphere => to_value("VSphereMachine", &VSphereMachineSpec::default()),
        Backend::Libvirt => to_value("LibvirtMachine", &LibvirtMachineSpec::default()),
        Backend::Sim => to_value("SimMachine", &SimMachineSpec::default()),
    }
}

fn vsphere(class: &VmClassSpec, image: &str) -> VSphereMachineSpec {
    let hardware = &class.hardware;
    VSphereMachineSpec {
        image_ref: LocalObjectReference {
            name: image.to_owned(),
        },
        num_cpus: hardware.cpus,
        memory_mib: hardware.memory_mib,
        firmware: class.firmware.unwrap_or_default(),
        tpm_enabled: class.tpm_enabled.unwrap_or_default(),
        disks: hardware
            .disks
            .iter()
            .map(|disk| VSphereDisk {
                name: disk.name.clone(),
                size_gib: disk.size_gib,
                storage_class: Some(disk.storage_class.clone()),
                provisioning: disk.provisioning.unwrap_or_default(),
            })
            .collect(),
        network: interfaces(class)
            .map(|interface| VSphereNetwork {
                name: interface.name.clone(),
                network_class: Some(interface.network_class.clone()),
                ipam: ipam(interface),
                ..VSphereNetwork::default()
            })
            .collect(),
        ..VSphereMachineSpec::default()
    }
}

fn libvirt(class: &VmClassSpec, image: &str) -> LibvirtMachineSpec {
    let hardware = &class.hardware;
    LibvirtMachineSpec {
        image_ref: LocalObjectReference {
            name: image.to_owned(),
        },
        vcpus: hardware.cpus,
        memory_mib: hardware.memory_mib,
        firmware: class.firmware.unwrap_or_default(),
        tpm_enabled: class.tpm_enabled.unwrap_or_default(),
        disks: hardware
            .disks
            .iter()
            .map(|disk| LibvirtDisk {
                name: disk.name.clone(),
                size_gib: disk.size_gib,
                storage_class: Some(disk.storage_class.clone()),
                ..LibvirtDisk::default()
            })
            .collect(),
        network: interfaces(class)
            .map(|interface| LibvirtNetwork {
                name: interface.name.clone(),
                network_class: Some(interface.network_class.clone()),
                ipam: ipam(interface),
                ..LibvirtNetwork::default()
            })
            .collect(),
        ..LibvirtMachineSpec::default()
    }
}

fn sim(class: &VmClassSpec, image: &str) -> SimMachineSpec {
    let hardware = &class.hardware;
    SimMachineSpec {
        image_ref: LocalObjectReference {
            name: image.to_owned(),
        },
        num_cpus: hardware.cpus,
        memory_mib: hardware.memory_mib,
        firmware: class.firmware.unwrap_or_default(),
        tpm_enabled: class.tpm_enabled.unwrap_or_default(),
        disks: hardware
            .disks
            .iter()
            .map(|disk| SimDisk {
                name: disk.name.clone(),
                size_gib: disk.size_gib,
                storage_class: Some(disk.storage_class.clone()),
            })
            .collect(),
        network: interfaces(class)
            .map(|interface| SimNetwork {
                name: interface.name.clone(),
                network_class: Some(interface.network_class.clone()),
                ipam: ipam(interface),
                ..SimNetwork::default()
            })
            .collect(),
        ..SimMachineSpec::default()
    }
}

fn interfaces(class: &VmClassSpec) -> impl Iterator<Item = &Interface> {
    class.network.interfaces.iter()
}

/// Machines of a cluster come and go, so only a pool can give them fixed addresses.
fn ipam(interface: &Interface) -> IpamSpec {
    let pool = interface.ipam.as_ref().and_then(|ipam| ipam.pool.clone());
    IpamSpec { fixed: None, pool }
}

#[cfg(test)]
mod tests;
