//! What was built from a VMImage, and where it is ready.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{Condition, TypedObjectReference};

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
