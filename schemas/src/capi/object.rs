//! The envelope that the Cluster API kinds share.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::NamespaceResourceScope;
use serde::{Deserialize, Serialize};

use super::{API_VERSION, GROUP, VERSION};

/// A spec that knows the kind it is the spec of.
pub trait CapiKind {
    /// Kind, as in a manifest.
    const KIND: &'static str;
    /// Plural name, as in a URL.
    const PLURAL: &'static str;
}

/// A Cluster API object without its status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapiObject<S> {
    /// Always [`API_VERSION`] in an object made by [`CapiObject::new`].
    pub api_version: String,
    /// Always the kind of `S` in an object made by [`CapiObject::new`].
    pub kind: String,
    /// Metadata.
    pub metadata: ObjectMeta,
    /// Spec.
    pub spec: S,
}

impl<S: CapiKind> CapiObject<S> {
    /// An object of the kind of `S`.
    pub fn new(metadata: ObjectMeta, spec: S) -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: S::KIND.to_owned(),
            metadata,
            spec,
        }
    }
}

impl<S: CapiKind + Default> Default for CapiObject<S> {
    fn default() -> Self {
        Self::new(ObjectMeta::default(), S::default())
    }
}

impl<S: CapiKind> Resource for CapiObject<S> {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        S::KIND.into()
    }

    fn group((): &()) -> Cow<'_, str> {
        GROUP.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        VERSION.into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        S::PLURAL.into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// Names an object of another provider in the same namespace. There is no version: Cluster API
/// takes it from the contract label of the CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContractReference {
    /// API group, without a version.
    pub api_group: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}
