//! `spec.providerID`, the one field of a machine's spec that its provider writes.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use banlieue_kit::Kind;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::DynamicResourceScope;
use serde::{Deserialize, Serialize};

/// A machine of kind `M` with nothing but its provider ID: what a provider applies.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound = "")]
pub(super) struct Identified<M> {
    api_version: String,
    kind: String,
    metadata: ObjectMeta,
    spec: Spec,
    #[serde(skip)]
    of: PhantomData<fn() -> M>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Spec {
    #[serde(rename = "providerID", default)]
    provider_id: Option<String>,
}

impl<M: Kind> Identified<M> {
    /// The machine with this metadata, and this ID.
    pub(super) fn new(metadata: ObjectMeta, provider_id: Option<String>) -> Self {
        Self {
            api_version: M::api_version(&()).into_owned(),
            kind: M::kind(&()).into_owned(),
            metadata,
            spec: Spec { provider_id },
            of: PhantomData,
        }
    }
}

impl<M> Clone for Identified<M> {
    fn clone(&self) -> Self {
        Self {
            api_version: self.api_version.clone(),
            kind: self.kind.clone(),
            metadata: self.metadata.clone(),
            spec: self.spec.clone(),
            of: PhantomData,
        }
    }
}

impl<M> fmt::Debug for Identified<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(&self.kind)
            .field("metadata", &self.metadata)
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl<M: Kind> Resource for Identified<M> {
    type DynamicType = ();
    type Scope = DynamicResourceScope;

    fn kind(dt: &()) -> Cow<'_, str> {
        M::kind(dt)
    }

    fn group(dt: &()) -> Cow<'_, str> {
        M::group(dt)
    }

    fn version(dt: &()) -> Cow<'_, str> {
        M::version(dt)
    }

    fn plural(dt: &()) -> Cow<'_, str> {
        M::plural(dt)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
