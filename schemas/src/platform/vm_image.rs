//! `VMImage`: an operating system, and where each backend gets it.

mod status;
mod template;

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::status::*;
pub use self::template::*;
use crate::common::{KeySelector, LocalObjectReference};

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
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name must have at most 63 characters, because it becomes a label value"),
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
#[x_kube(validation = Rule::new("self.guestAgent != 'sysprep' || self.osFamily == 'windows'")
    .message("guestAgent sysprep is only for osFamily windows"))]
#[x_kube(validation = Rule::new("!has(self.trustedBoot) || self.sources.exists(s, s.kind == 'Url')")
    .message("trustedBoot needs a source of kind Url, because only a built image is signed"))]
#[x_kube(validation = Rule::new(
    "!has(self.trustedBoot) || !has(self.template) || self.template.firmware != 'bios'"
).message("trustedBoot needs template.firmware efi or efi-secure"))]
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

    /// The shape of the template, with the default filled in.
    pub fn template(&self) -> TemplateShape {
        self.template.clone().unwrap_or_default()
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
#[x_kube(validation = Rule::new("(self.kind == 'Url') == has(self.importFrom)")
    .message("importFrom must be set for kind Url, and only then"))]
#[x_kube(validation = Rule::new("self.kind == 'Url' || (has(self.ref) && self.ref != '')")
    .message("ref must be set for kinds Template and BackingFile"))]
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
#[x_kube(validation = Rule::new("has(self.secretRef) != has(self.configMapRef)")
    .message("exactly one of secretRef and configMapRef must be set"))]
pub struct CloudConfigSource {
    /// A Secret in the namespace of image builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<KeySelector>,
    /// A ConfigMap in the namespace of image builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<KeySelector>,
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
    #[x_kube(validation = Rule::new("!self.contains('..')").message("path must not hold '..'"))]
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
