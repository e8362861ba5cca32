//! What the containers of a Pod share.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use k8s_openapi::api::core::v1::{Container, Pod};

use super::agent::Shared;
use super::environment::Facts;
use super::volumes::{Mount, Volumes};

/// Seconds to end in where a Pod says nothing.
const DEFAULT_GRACE: i64 = 30;

/// A Pod on this node.
pub(super) struct PodContext {
    pub(super) node: Arc<Shared>,
    /// As it was bound. Its spec does not change but for images.
    pub(super) pod: Pod,
    pub(super) address: Ipv4Addr,
    pub(super) directory: PathBuf,
    volumes: Mutex<Option<Volumes>>,
}

impl PodContext {
    pub(super) fn new(node: Arc<Shared>, pod: Pod, directory: PathBuf) -> Self {
        Self {
            address: node.subnet.next(),
            directory,
            volumes: Mutex::new(None),
            pod,
            node,
        }
    }

    pub(super) fn facts(&self) -> Facts<'_> {
        Facts {
            pod: &self.pod,
            address: self.address,
            api_port: self.node.api_port,
            configs: &self.node.configs,
        }
    }

    /// Where `container` has which volume.
    pub(super) fn mounts(&self, container: &Container) -> Result<Vec<Mount>> {
        let volumes = self.lock();
        volumes
            .as_ref()
            .context("no volumes yet")?
            .mounts(container)
    }

    /// Time to end in when the Pod does not go itself.
    pub(super) fn grace(&self) -> Duration {
        let spec = self.pod.spec.as_ref();
        grace(spec.and_then(|spec| spec.termination_grace_period_seconds))
    }

    /// Makes the volumes if they are not there yet, and brings their files up to date.
    pub(super) async fn sync(&self) -> Result<()> {
        let prepared = self.lock().is_some();
        if !prepared {
            let claims = self.node.directory.join("claims");
            let (client, pod) = (&self.node.client, &self.pod);
            let volumes = Volumes::prepare(client, pod, &self.directory, &claims).await?;
            *self.lock() = Some(volumes);
        }
        match self.lock().as_mut() {
            Some(volumes) => volumes.sync(self.facts()),
            None => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Volumes>> {
        self.volumes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time to end in that a Pod gives its containers.
pub(super) fn grace(seconds: Option<i64>) -> Duration {
    Duration::from_secs(u64::try_from(seconds.unwrap_or(DEFAULT_GRACE)).unwrap_or_default())
}
