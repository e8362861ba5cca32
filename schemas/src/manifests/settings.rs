//! What differs between two installations of the platform.

use serde::{Deserialize, Serialize};

/// Registry, and path in it, of the images that are published.
pub const REGISTRY: &str = "ghcr.io/banlieue";

/// Inputs of [`platform`](super::platform). The default is an installation that works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Namespace of the controller, the operator and the image builder. Must differ from
    /// `image_builder_namespace`, whose Pods are privileged.
    pub namespace: String,
    /// Namespace in which image builds and imports run.
    pub image_builder_namespace: String,
    /// Image of every workload.
    pub image: Image,
    /// Names of the Secrets with which the image is pulled, in `namespace`.
    pub image_pull_secrets: Vec<String>,
    /// Replicas of each Deployment; one leads, the others stand by.
    pub replicas: i32,
    /// Lowest level that is logged: `error`, `warn`, `info`, `debug` or `trace`.
    pub log_level: String,
    /// TCP ports on which Pods reach the API server, behind its Service as well.
    pub api_server_ports: Vec<i32>,
    /// Registries from which a VMImage may import, such as `registry.example.com/images`.
    /// Empty means any.
    pub allowed_registries: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            namespace: "banlieue-system".to_owned(),
            image_builder_namespace: "banlieue-imagebuild".to_owned(),
            image: Image::default(),
            image_pull_secrets: Vec::new(),
            replicas: 2,
            log_level: "info".to_owned(),
            api_server_ports: vec![443, 6443],
            allowed_registries: Vec::new(),
        }
    }
}

/// A container image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Image {
    /// Repository with its registry, without tag.
    pub repository: String,
    /// Tag.
    pub tag: String,
    /// Digest, `sha256:` and 64 hex digits. It decides what runs; the tag then only informs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Default for Image {
    fn default() -> Self {
        Self {
            repository: format!("{REGISTRY}/banlieue"),
            tag: concat!("v", env!("CARGO_PKG_VERSION")).to_owned(),
            digest: None,
        }
    }
}

impl Image {
    /// What a container's `image` field holds: `repository:tag` or `repository:tag@digest`.
    pub fn reference(&self) -> String {
        let Self {
            repository,
            tag,
            digest,
        } = self;
        match digest {
            Some(digest) => format!("{repository}:{tag}@{digest}"),
            None => format!("{repository}:{tag}"),
        }
    }
}
