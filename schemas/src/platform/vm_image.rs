//! `VMImage`: an operating system, and where each backend gets it.

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{
    Condition, DiskProvisioning, Firmware, KeySelector, LocalObjectReference, TypedObjectReference,
};

/// What a platform engineer offers as an operating system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "banlieue.io",
    version = "v1alpha1",
    kind = "VMImage",
    root = "VmImage",
    plural = "vmimages",
    status = "VmImageStatus",
    derive = "PartialEq",
    shortname = "vmi",
    category = "banlieue",
    doc = "A VMImage is an operating system, and where each class of Providers gets it. An image that is built is built again when an input changes.",
    printcolumn(name = "OS", type_ = "string", json_path = ".spec.osDistribution"),
    printcolumn(name = "Version", type_ = "string", json_path = ".spec.osVersion"),
    printcolumn(name = "Arch", type_ = "string", json_path = ".spec.architecture"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct VmImageSpec {
    /// Family of the operating system: linux, windows, bsd or other.
    pub os_family: OsFamily,
    /// Distribution, for people and for the guest identifier of the backend.
    #[schemars(length(min = 1, max = 63))]
    pub os_distribution: String,
    /// Version, for people and for the guest identifier of the backend.
    #[schemars(length(min = 1, max = 63))]
    pub os_version: String,
    /// Processor architecture.
    pub architecture: Architecture,
    /// What reads the user data in the guest: cloud-init, ignition, sysprep or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "cloud-init"))]
    pub guest_agent: Option<GuestAgent>,
    /// Where each class of Providers gets the image.
    #[schemars(length(min = 1, max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["providerClass".into()]))]
    pub sources: Vec<ImageSource>,
    /// Cloud-configs that go into a built image, the base first. Maps are merged and the later
    /// value wins, lists are joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub cloud_configs: Vec<CloudConfigSource>,
    /// Shape of the template that is made from a built image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateShape>,
    /// Files from a Secret that go onto the installation medium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iso_overlay: Option<IsoOverlay>,
    /// Keys that sign a unified kernel image. Set means that one is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_boot: Option<TrustedBoot>,
}

impl VmImageSpec {
    /// What reads the user data, with the default filled in.
    pub fn guest_agent(&self) -> GuestAgent {
        self.guest_agent.unwrap_or_default()
    }

    /// When the operating system is installed, with the default filled in.
    pub fn install_mode(&self) -> InstallMode {
        self.template
            .as_ref()
            .and_then(|template| template.install_mode)
            .unwrap_or_default()
    }
}

/// Family of an operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OsFamily {
    /// Linux.
    Linux,
    /// Windows.
    Windows,
    /// A BSD.
    Bsd,
    /// Anything else.
    Other,
}

/// Processor architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// 64 bit x86.
    Amd64,
    /// 64 bit ARM.
    Arm64,
}

/// What reads the user data in the guest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GuestAgent {
    /// cloud-init, or what understands its format.
    #[default]
    CloudInit,
    /// Ignition.
    Ignition,
    /// Windows Sysprep.
    Sysprep,
    /// Nothing.
    None,
}

/// Where the Providers of one class get the image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImageSource {
    /// Name of the ProviderClass.
    #[schemars(length(min = 1, max = 253))]
    pub provider_class: String,
    /// Template: a template on the backend. BackingFile: a volume or file on the backend. Url: an
    /// OCI image that is built and imported.
    pub kind: ImageSourceKind,
    /// Name of the template, volume or file. Required for Template and BackingFile, ignored for
    /// Url.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub reference: Option<String>,
    /// OCI image, pinned by digest: `repository@sha256:...`. Required for Url, refused otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024), regex(pattern = r"^[^@\s]+@sha256:[0-9a-f]{64}$"))]
    pub import_from: Option<String>,
    /// Digest that the file must have: `sha256:...` or `sha512:...`. A mismatch fails the import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$"))]
    pub checksum: Option<String>,
}

/// How an image comes to a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ImageSourceKind {
    /// A template on the backend.
    Template,
    /// A volume or file on the backend.
    BackingFile,
    /// An OCI image that is built and imported.
    Url,
}

/// A cloud-config. Exactly one source is set; the key is `cloud-config.yaml` unless given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloudConfigSource {
    /// A Secret in the namespace of image builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<KeySelector>,
    /// A ConfigMap in the namespace of image builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<KeySelector>,
}

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

/// Files from a Secret that go onto the installation medium.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IsoOverlay {
    /// A Secret in the namespace of image builds.
    pub secret_ref: LocalObjectReference,
    /// Which key becomes which file.
    #[schemars(length(min = 1, max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["path".into()]))]
    pub files: Vec<OverlayFile>,
}

/// A file of an overlay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverlayFile {
    /// Key in the Secret.
    #[schemars(length(min = 1, max = 253))]
    pub key: String,
    /// Path from the root of the medium, without a leading slash.
    #[schemars(length(min = 1, max = 1024), regex(pattern = "^[^/]"))]
    pub path: String,
}

/// Keys that sign a unified kernel image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustedBoot {
    /// A Secret in the namespace of image builds with the keys `PK.auth`, `KEK.auth`, `db.auth`,
    /// `db.key`, `db.pem` and `tpm2-pcr-private.pem`.
    pub secret_ref: LocalObjectReference,
}

/// Where an image is ready.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::for_api_server)]
pub struct VmImageStatus {
    /// The generation of the spec that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// One row for each Provider, written by that Provider's process alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["providerNamespace".into(), "providerName".into()]))]
    pub per_provider: Vec<ProviderImageStatus>,
    /// One row for each kind of artifact that the sources need, written by the image builder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["kind".into()]))]
    pub build_artifacts: Vec<BuildArtifact>,
    /// Conditions. Ready is written by the controller: true when every row is ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}

/// An image on one Provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderImageStatus {
    /// Namespace of the Provider.
    pub provider_namespace: String,
    /// Name of the Provider.
    pub provider_name: String,
    /// Whether machines can be made from the image in every zone.
    pub ready: bool,
    /// Digest of the inputs of the build that is there. Unset for an image that is not built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_digest: Option<String>,
    /// What the backend calls the image, when that is the same in every zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_ref: Option<String>,
    /// Why it is as it is, in one CamelCase word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it is as it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The zones of the Provider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub zones: Vec<ZoneImageStatus>,
}

/// An image in one failure domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ZoneImageStatus {
    /// Name of the failure domain.
    pub name: String,
    /// Whether machines can be made from the image here.
    pub ready: bool,
    /// What the backend calls the image here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_ref: Option<String>,
    /// Folder of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_folder: Option<String>,
    /// Why it is as it is, in one CamelCase word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it is as it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a build made, or makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuildArtifact {
    /// cloudImage is a raw disk, iso an installation medium.
    pub kind: ArtifactKind,
    /// How far the build is.
    pub phase: BuildPhase,
    /// Digest of every input of the build, the content of cloud-configs included. Another digest
    /// is another build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_digest: Option<String>,
    /// The object that builds the artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_artifact_ref: Option<TypedObjectReference>,
    /// UID of that object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_artifact_uid: Option<String>,
    /// The PersistentVolumeClaim that holds the artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pvc_ref: Option<TypedObjectReference>,
    /// Name of the file in the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the file: `sha256:...`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// Why it is as it is, in one CamelCase word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it is as it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The artifact in a registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oci_artifact: Option<OciArtifact>,
}

/// Kind of a build artifact.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ArtifactKind {
    /// A raw disk.
    CloudImage,
    /// An installation medium.
    Iso,
}

/// How far a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BuildPhase {
    /// Not begun.
    Pending,
    /// Under way.
    Building,
    /// The artifact can be used.
    Ready,
    /// The build failed; the reason says why.
    Failed,
}

/// An artifact in a registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OciArtifact {
    /// How far the push is.
    pub phase: PushPhase,
    /// Reference of the artifact, with its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Why it is as it is, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How far a push is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PushPhase {
    /// Under way.
    Pushing,
    /// The artifact can be pulled.
    Ready,
    /// The push failed.
    Failed,
}
