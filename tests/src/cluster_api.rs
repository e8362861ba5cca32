//! CRDs of other projects that a rendered tree uses.

use anyhow::Result;

use crate::apiserver::ApiServer;
use crate::tools::{Tool, checkout};

/// Installs the CRDs of Cluster API with its kubeadm providers, Flux and
/// Argo CD as they were released, and stand-ins for k0smotron (see
/// `tests/standins`), and waits until all are served. No controller and no
/// webhook runs: what only those would refuse is accepted.
pub fn install(api: &ApiServer) -> Result<()> {
    api.apply_files(&Tool::Crds.path()?)?;
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
