//! The shape of the template that is made from a built image.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{DiskProvisioning, Firmware};

/// Shape of the template that is made from a built image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateShape {
    /// Folder under which each failure domain has a folder for the template. Unset means the
    /// virtual machine root of the datacenter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub root_folder: Option<String>,
    /// Interfaces of the template. Unset means one on the first network class of the zone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub network: Vec<TemplateInterface>,
    /// The disk of the template. Unset means a thin disk of 100 GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<TemplateDisk>,
    /// Virtual CPUs during the installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256), extend("default" = 2))]
    pub cpus: Option<u32>,
    /// Memory in MiB during the installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 128, max = 4_194_304), extend("default" = 4096))]
    pub memory_mib: Option<u32>,
    /// Firmware of the template: bios, efi or efi-secure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "efi"))]
    pub firmware: Option<Firmware>,
    /// Guest identifier of the backend. Unset means one derived from the operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63))]
    pub guest_id: Option<String>,
    /// When true, the medium is uploaded even when the datastore has it. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_upload: Option<bool>,
    /// When true, the template is made even when it exists. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_create: Option<bool>,
    /// How long an installation may take, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 60, max = 86_400), extend("default" = 1800))]
    pub install_timeout_seconds: Option<u32>,
    /// When the operating system is installed. immediate: once, in the template. deferred: by each
    /// machine on its first boot. manual: by a person, in the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "immediate"))]
    pub install_mode: Option<InstallMode>,
    /// When true, the template stays on the backend after the VMImage is deleted. Unset means
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retain_on_delete: Option<bool>,
}

impl TemplateShape {
    /// Virtual CPUs during the installation, with the default filled in.
    pub fn cpus(&self) -> u32 {
        self.cpus.unwrap_or(2)
    }

    /// Memory in MiB during the installation, with the default filled in.
    pub fn memory_mib(&self) -> u32 {
        self.memory_mib.unwrap_or(4096)
    }

    /// Firmware, with the default filled in.
    pub fn firmware(&self) -> Firmware {
        self.firmware.unwrap_or_default()
    }

    /// How long an installation may take, in seconds, with the default filled in.
    pub fn install_timeout_seconds(&self) -> u32 {
        self.install_timeout_seconds.unwrap_or(1800)
    }

    /// When the operating system is installed, with the default filled in.
    pub fn install_mode(&self) -> InstallMode {
        self.install_mode.unwrap_or_default()
    }

    /// The disk, with the default filled in.
    pub fn disk(&self) -> TemplateDisk {
        self.disk.clone().unwrap_or_default()
    }
}

/// When an operating system is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallMode {
    /// Once, in the template.
    #[default]
    Immediate,
    /// By each machine on its first boot.
    Deferred,
    /// By a person, in the template.
    Manual,
}

/// An interface of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateInterface {
    /// Port group. Unset means the first network class of the zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub network: Option<String>,
    /// Model of the adapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "vmxnet3"))]
    pub adapter: Option<NetworkAdapter>,
    /// PCI slot, so that the guest keeps the name of the interface. Unset means 192 plus the
    /// position in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub pci_slot: Option<u32>,
}

impl TemplateInterface {
    /// Model of the adapter, with the default filled in.
    pub fn adapter(&self) -> NetworkAdapter {
        self.adapter.unwrap_or_default()
    }
}

/// Model of a network adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NetworkAdapter {
    /// VMXNET 3, paravirtual.
    #[default]
    Vmxnet3,
    /// VMXNET 2, paravirtual.
    Vmxnet2,
    /// Intel 82545EM.
    E1000,
    /// Intel 82574.
    E1000e,
}

/// The disk of a template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemplateDisk {
    /// Size in GiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536), extend("default" = 100))]
    pub size: Option<u32>,
    /// How the space is allocated: thin, thick or eagerZeroed.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "thin"))]
    pub provisioning: Option<DiskProvisioning>,
    /// Model of the disk controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "pvscsi"))]
    pub controller: Option<DiskController>,
}

impl TemplateDisk {
    /// Size in GiB, with the default filled in.
    pub fn size(&self) -> u32 {
        self.size.unwrap_or(100)
    }

    /// How the space is allocated, with the default filled in.
    pub fn provisioning(&self) -> DiskProvisioning {
        self.provisioning.unwrap_or_default()
    }

    /// Model of the controller, with the default filled in.
    pub fn controller(&self) -> DiskController {
        self.controller.unwrap_or_default()
    }
}

/// Model of a disk controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DiskController {
    /// VMware paravirtual SCSI.
    #[default]
    Pvscsi,
    /// LSI Logic parallel.
    LsiLogic,
    /// LSI Logic SAS.
    LsiLogicSas,
    /// BusLogic parallel.
    BusLogic,
}
