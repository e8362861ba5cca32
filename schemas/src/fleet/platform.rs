//! How banlieue itself is installed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::manifests::settings::REGISTRY;
use crate::platform::WorkloadImage;

/// How banlieue itself is installed in the management cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Platform {
    /// Namespace of the controller and the operator. Default: `banlieue-system`.
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub namespace: String,
    /// Namespace of Providers, clusters and machines that name none. Default: `fleet`.
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub fleet_namespace: String,
    /// Container image of every banlieue process.
    pub image: WorkloadImage,
    /// Builds VM images from OCI images, with kairos-operator. Idle without such an image.
    pub image_builder: ImageBuilder,
    /// Registries, with or without a path in them, from which a VMImage may import: an admission
    /// policy refuses every other `importFrom`. Empty: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 64),
        inner(
            length(min = 1, max = 255),
            regex(pattern = r"^[a-zA-Z0-9][a-zA-Z0-9.:-]*(/[a-z0-9][a-z0-9._-]*)*$")
        )
    )]
    pub allowed_registries: Vec<String>,
    /// Labels for every namespace that is rendered, beside our own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub namespace_labels: BTreeMap<String, String>,
}

impl Default for Platform {
    fn default() -> Self {
        Self {
            namespace: "banlieue-system".to_owned(),
            fleet_namespace: "fleet".to_owned(),
            image: WorkloadImage {
                repository: format!("{REGISTRY}/banlieue"),
                tag: Some(concat!("v", env!("CARGO_PKG_VERSION")).to_owned()),
                ..WorkloadImage::default()
            },
            image_builder: ImageBuilder::default(),
            allowed_registries: Vec::new(),
            namespace_labels: BTreeMap::new(),
        }
    }
}

/// The image builder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ImageBuilder {
    /// Namespace in which images are built; builds are privileged. Default:
    /// `banlieue-imagebuild`.
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub namespace: String,
}

impl Default for ImageBuilder {
    fn default() -> Self {
        Self {
            namespace: "banlieue-imagebuild".to_owned(),
        }
    }
}

/// A Secret that exists by other means. Its content is never read here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Secret {
    /// Keys that it holds; a reference to another key is an error. Empty: not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
