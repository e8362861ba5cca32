//! CRDs of other projects that a rendered tree uses.

use anyhow::Result;

use crate::apiserver::ApiServer;
use crate::tools::{Tool, checkout};

/// Delivers a tree from git into a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Flux.
    Flux,
    /// Argo CD.
    ArgoCd,
}

impl Engine {
    /// Namespace of what it follows.
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Flux => "flux-system",
            Self::ArgoCd => "argocd",
        }
    }

    fn crds(self) -> &'static str {
        match self {
            Self::Flux => "flux",
            Self::ArgoCd => "argocd",
        }
    }
}

/// Installs the CRDs of Cluster API with its kubeadm providers and of these
/// engines, as they were released, and stand-ins for k0smotron (see
/// `tests/standins`), and waits until all are served. No controller and no
/// webhook runs: what only those would refuse is accepted.
///
/// A server works for seconds on the CRDs of an engine: name no more than is used.
pub fn install(api: &ApiServer, engines: &[Engine]) -> Result<()> {
    let crds = Tool::Crds.path()?;
    api.apply_files(&crds.join("cluster-api"))?;
    for engine in engines {
        api.apply_files(&crds.join(engine.crds()))?;
    }
    api.apply_files(&checkout().join("tests/standins"))?;
    api.kubectl(&[
        "wait",
        "--for=condition=Established",
        "customresourcedefinitions",
        "--all",
        "--timeout=60s",
    ])?;
    Ok(())
}
