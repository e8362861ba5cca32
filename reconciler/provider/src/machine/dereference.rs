//! What a machine refers to, as last heard. What is not there is data.

use std::sync::Arc;

use banlieue_backend::Connect;
use banlieue_kit::errors::ApiError;
use banlieue_schemas::capi::PAUSED_ANNOTATION;
use banlieue_schemas::platform::{Provider, VmImage};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::ResourceExt;

use super::owner::{Bootstrap, Owner, owner_name};
use super::{Machine, MachineReconciler};
use crate::session::Look;

/// What a machine refers to.
#[derive(Clone, Default)]
pub(super) struct References {
    /// Name of the Provider of this process.
    pub(super) provider_name: String,
    /// That Provider.
    pub(super) provider: Option<Arc<Provider>>,
    /// The image.
    pub(super) image: Option<Arc<VmImage>>,
    /// The Cluster API Machine that owns it, while that counts.
    pub(super) owner: Option<Arc<Owner>>,
    /// What that brings for the guest.
    pub(super) bootstrap: Bootstrap,
}

impl<M: Machine, C: Connect, L: Look> MachineReconciler<M, C, L> {
    /// Whether this process serves the machine. The label brings it here, its reference decides.
    pub(super) fn serves(&self, machine: &M) -> bool {
        machine.provider_ref() == Some(self.config.provider.as_str())
    }

    /// Looks up what the machine refers to.
    pub(super) async fn dereference(&self, machine: &M) -> Result<References, ApiError> {
        let mut found = References {
            image: self.images.get(None, machine.image_ref()),
            ..self.provider()
        };
        let owner = owner_name(machine.meta());
        if let Some(name) = owner.filter(|_| !machine.status_view().provisioned) {
            found.owner = self.owners.get(Some(&self.config.namespace), name);
            found.bootstrap = self.bootstrap(name, found.owner.as_deref()).await?;
        }
        Ok(found)
    }

    /// The Provider alone, which is all that a deletion looks at.
    pub(super) fn provider(&self) -> References {
        let (namespace, name) = (&self.config.namespace, &self.config.provider);
        References {
            provider_name: name.clone(),
            provider: self.providers.get(Some(namespace), name),
            ..References::default()
        }
    }
}

impl References {
    /// Why nothing may be done on the backend for the machine with this metadata.
    pub(super) fn paused(&self, machine: &ObjectMeta) -> Option<String> {
        let mut provider = self.provider.iter();
        if let Some(provider) = provider.find(|provider| provider.spec.paused == Some(true)) {
            return Some(format!("Provider {} is paused", provider.name_any()));
        }
        let annotations = machine.annotations.as_ref();
        annotations
            .is_some_and(|annotations| annotations.contains_key(PAUSED_ANNOTATION))
            .then(|| format!("the annotation {PAUSED_ANNOTATION} is set"))
    }
}
