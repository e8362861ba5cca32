//! A Pod's volumes as directories of this machine.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use k8s_openapi::api::authentication::v1::{BoundObjectReference, TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::{
    Container, PersistentVolumeClaim, Pod, ServiceAccount, Volume, VolumeMount,
};
use kube::api::PostParams;
use kube::{Api, Client, ResourceExt as _};

use super::atomic_directory;
use super::environment::Facts;
use super::files::{Files, Tokens, files, token_requests};

/// The volumes of one Pod.
#[derive(Debug)]
pub(super) struct Volumes {
    declared: Vec<Volume>,
    paths: BTreeMap<String, PathBuf>,
    tokens: Tokens,
    written: BTreeMap<String, Files>,
}

/// A volume in a container.
#[derive(Debug, Clone)]
pub(super) struct Mount {
    pub(super) source: PathBuf,
    pub(super) target: PathBuf,
    pub(super) read_only: bool,
}

impl Volumes {
    /// Makes the directories below `directory` and gets the tokens. A claim's
    /// directory is below `claims` and outlives the Pod.
    pub(super) async fn prepare(
        client: &Client,
        pod: &Pod,
        directory: &Path,
        claims: &Path,
    ) -> Result<Self> {
        let spec = pod.spec.clone().unwrap_or_default();
        let declared = spec.volumes.unwrap_or_default();
        let mut paths = BTreeMap::new();
        let mut tokens = Tokens::new();
        for volume in &declared {
            let path = if let Some(claim) = &volume.persistent_volume_claim {
                claims.join(claim_uid(client, pod, &claim.claim_name).await?)
            } else if let Some(host) = &volume.host_path {
                PathBuf::from(&host.path)
            } else {
                directory.join("volumes").join(&volume.name)
            };
            if volume.host_path.is_none() {
                make_directory(&path)?;
            }
            paths.insert(volume.name.clone(), path);
            for request in token_requests(volume) {
                let audience = request.audience.clone().unwrap_or_default();
                let token = token(client, pod, &audience, request.expiration_seconds).await?;
                tokens.insert(audience, token);
            }
        }
        Ok(Self {
            declared,
            paths,
            tokens,
            written: BTreeMap::new(),
        })
    }

    /// Writes the files of ConfigMaps, Secrets and the Pod's own fields where they
    /// changed. An error names what is missing; what was written then stays.
    pub(super) fn sync(&mut self, facts: Facts) -> Result<()> {
        for volume in &self.declared {
            let wanted = files(volume, facts, &self.tokens);
            let wanted = wanted.map_err(|missing| anyhow!("volume {}: {missing}", volume.name))?;
            let Some(wanted) = wanted else { continue };
            if self.written.get(&volume.name) == Some(&wanted) {
                continue;
            }
            let path = self.paths.get(&volume.name).context("no directory")?;
            atomic_directory::write(path, &wanted)?;
            self.written.insert(volume.name.clone(), wanted);
        }
        Ok(())
    }

    /// Where `container` has which volume.
    pub(super) fn mounts(&self, container: &Container) -> Result<Vec<Mount>> {
        let mounts = container.volume_mounts.iter().flatten();
        mounts.map(|mount| self.mount(mount)).collect()
    }

    fn mount(&self, mount: &VolumeMount) -> Result<Mount> {
        let name = &mount.name;
        let path = self
            .paths
            .get(name)
            .with_context(|| format!("no volume {name}"))?;
        let made_of_files = self.written.contains_key(name);
        let source = path.join(mount.sub_path.as_deref().unwrap_or_default());
        if !source.exists() && !made_of_files {
            make_directory(&source)?;
        }
        Ok(Mount {
            source,
            target: PathBuf::from(&mount.mount_path),
            read_only: mount.read_only == Some(true) || made_of_files,
        })
    }
}

/// A directory that any user may write to.
fn make_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))?;
    Ok(())
}

async fn claim_uid(client: &Client, pod: &Pod, name: &str) -> Result<String> {
    let namespace = pod.namespace().unwrap_or_default();
    let claims: Api<PersistentVolumeClaim> = Api::namespaced(client.clone(), &namespace);
    let claim = claims
        .get(name)
        .await
        .with_context(|| format!("PersistentVolumeClaim {name}"))?;
    claim.uid().context("a claim without a uid")
}

/// A token of the Pod's ServiceAccount that ends with the Pod.
async fn token(
    client: &Client,
    pod: &Pod,
    audience: &str,
    expiration_seconds: Option<i64>,
) -> Result<String> {
    let namespace = pod.namespace().unwrap_or_default();
    let spec = pod.spec.as_ref().context("no spec")?;
    let account = spec.service_account_name.as_deref().unwrap_or("default");
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), &namespace);
    let request = TokenRequest {
        spec: Some(TokenRequestSpec {
            audiences: (!audience.is_empty()).then(|| vec![audience.to_owned()]),
            bound_object_ref: Some(BoundObjectReference {
                api_version: Some("v1".to_owned()),
                kind: Some("Pod".to_owned()),
                name: Some(pod.name_any()),
                uid: pod.uid(),
            }),
            expiration_seconds,
        }),
        ..TokenRequest::default()
    };
    let answer = accounts
        .create_token_request(account, &PostParams::default(), &request)
        .await
        .with_context(|| format!("token of {namespace}/{account}"))?;
    let token = answer.status.and_then(|status| status.token);
    token.context("the API server gave no token")
}
