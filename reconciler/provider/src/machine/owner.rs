//! The Cluster API Machine that owns a machine object, and the bootstrap data that it brings.
//!
//! Both count until the machine is provisioned for the first time: later, where it is and what its
//! guest has read cannot change any more.

use banlieue_backend::Connect;
use banlieue_kit::errors::ApiError;
use banlieue_kit::{Guarded, read};
use banlieue_schemas::capi::{self, CapiKind, CapiObject};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use super::{Machine, MachineReconciler};
use crate::session::Look;

/// Key of the bootstrap data in its Secret, by the contract of Cluster API.
const VALUE: &str = "value";

/// A Cluster API Machine, with what an infrastructure provider reads of it.
pub(crate) type Owner = CapiObject<OwnerSpec>;

/// What of a Machine's spec counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct OwnerSpec {
    /// Failure domain to be in.
    pub(super) failure_domain: Option<String>,
    bootstrap: BootstrapSpec,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BootstrapSpec {
    data_secret_name: Option<String>,
}

impl CapiKind for OwnerSpec {
    const KIND: &'static str = "Machine";
    const PLURAL: &'static str = "machines";
}

/// What the guest of a Cluster API machine reads on its first boot.
#[derive(Clone, Default)]
pub(super) enum Bootstrap {
    /// It is no Cluster API machine, or has read it.
    #[default]
    Unneeded,
    /// It is not there yet; the message says what is waited for.
    Waiting(String),
    /// The data.
    Data(String),
}

/// Name of the Machine that owns the object.
pub(crate) fn owner_name(meta: &ObjectMeta) -> Option<&str> {
    let mut owners = meta.owner_references.iter().flatten();
    let owner = owners.find(|owner| {
        let group = owner.api_version.split('/').next();
        owner.kind == OwnerSpec::KIND && group == Some(capi::GROUP)
    });
    owner.map(|owner| owner.name.as_str())
}

impl<M: Machine, C: Connect, L: Look> MachineReconciler<M, C, L> {
    /// The bootstrap data of a machine that `owner` owns.
    ///
    /// Its Secret is read past the cache, since only Secrets of a known name may be watched.
    pub(super) async fn bootstrap(
        &self,
        name: &str,
        owner: Option<&Owner>,
    ) -> Result<Bootstrap, ApiError> {
        let Some(owner) = owner else {
            return Ok(Bootstrap::Waiting(format!("Machine {name} does not exist")));
        };
        let Some(secret) = &owner.spec.bootstrap.data_secret_name else {
            let message = format!("Machine {name} has no bootstrap data yet");
            return Ok(Bootstrap::Waiting(message));
        };
        let found = read::<Secret>(&self.client, Some(&self.config.namespace), secret).await?;
        let data = found.as_ref().and_then(Guarded::valid).and_then(|found| {
            let value = found.data.as_ref()?.get(VALUE)?;
            String::from_utf8(value.0.clone()).ok()
        });
        Ok(data.map_or_else(
            || {
                Bootstrap::Waiting(format!(
                    "Secret {secret} has no bootstrap data under {VALUE}"
                ))
            },
            Bootstrap::Data,
        ))
    }
}
