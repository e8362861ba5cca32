//! How the tree is delivered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the tree is delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GitOps {
    /// Flux or Argo CD. Default: `flux`.
    pub engine: Engine,
    /// URL of the repository that the tree is committed to.
    #[schemars(length(min = 1), regex(pattern = r"^(https?|ssh)://[^\s]+$"))]
    pub repository: String,
    /// Branch that the engine follows. Default: `main`.
    #[schemars(length(min = 1))]
    pub branch: String,
    /// Folder of the tree inside the repository, without a leading or trailing slash. Empty:
    /// the root.
    #[schemars(regex(pattern = r"^([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*)?$"))]
    pub path: String,
    /// Namespace of the engine. Default: `flux-system` or `argocd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Secret in that namespace with the credentials of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials_secret: Option<String>,
    /// Decryption of Secrets in the tree. Flux only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decryption: Option<Decryption>,
    /// How often the engine compares the cluster with git, for example `10m`.
    #[schemars(regex(pattern = r"^([0-9]+(s|m|h))+$"))]
    pub interval: String,
}

impl GitOps {
    /// Namespace of the engine.
    pub fn engine_namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or(match self.engine {
            Engine::Flux => "flux-system",
            Engine::Argocd => "argocd",
        })
    }
}

impl Default for GitOps {
    fn default() -> Self {
        Self {
            engine: Engine::Flux,
            repository: "https://git.example.com/platform/fleet.git".to_owned(),
            branch: "main".to_owned(),
            path: String::new(),
            namespace: None,
            credentials_secret: None,
            decryption: None,
            interval: "10m".to_owned(),
        }
    }
}

/// What applies the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Flux: one `Kustomization` per stage and per cluster.
    #[default]
    Flux,
    /// Argo CD: one `Application` per stage and per cluster.
    Argocd,
}

/// Decryption of Secrets with SOPS.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Decryption {
    /// Secret in the engine's namespace that holds the keys.
    #[schemars(length(min = 1, max = 253))]
    pub secret: String,
}
