//! The generator's input: one typed description of the whole fleet, group `gen.banlieue.io`.
//!
//! Everything with a name is a map from that name, so that layers merge by name, a duplicate is
//! a duplicate key, and `null` in a later layer removes an entry.

mod cluster;
mod gitops;
mod parameter;
mod platform;
mod site;
mod tier;
mod virtual_machines;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use cluster::{
    Autoscaling, Cluster, ClusterNetwork, ControlPlane, ControlPlaneKind, Endpoint, Workers,
};
pub use gitops::{Decryption, Engine, GitOps};
pub use parameter::{Parameter, ParameterType};
pub use platform::{ImageBuilder, Platform, Secret};
pub use site::{Credentials, NetworkClass, Site, StorageClass, Zone};
pub use tier::{Promise, Resources, Tier, TierControlPlane};
pub use virtual_machines::{CloudInit, VirtualMachines};

use crate::platform::{ProviderClassSpec, VmClassSpec, VmImageSpec};

/// `apiVersion` of every fleet file.
pub const API_VERSION: &str = "gen.banlieue.io/v1alpha1";
/// `kind` of every fleet file.
pub const KIND: &str = "Fleet";

/// A fleet: where machines can run, what kinds of machines and clusters there are, and which
/// clusters and machines are wanted.
///
/// One fleet may be written in several files. They are merged in the order in which they are
/// given: maps merge key by key, everything else is replaced, `null` removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fleet {
    /// Always `gen.banlieue.io/v1alpha1`.
    #[schemars(extend("const" = API_VERSION))]
    pub api_version: String,
    /// Always `Fleet`.
    #[schemars(extend("const" = KIND))]
    pub kind: String,
    /// What the fleet is called.
    pub metadata: Metadata,
    /// How banlieue itself is installed in the management cluster.
    #[serde(default)]
    pub platform: Platform,
    /// How the tree is delivered: by Flux or by Argo CD, from which repository.
    #[serde(default)]
    pub gitops: GitOps,
    /// Values that `render KEY=VALUE` may set. A string anywhere else may use one as
    /// `${{ name }}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// Secrets that exist in the management cluster by other means (SOPS, External Secrets, by
    /// hand). Only their names are known here; a reference to an undeclared one is an error.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, Secret>,
    /// Places where machines run: a vCenter, a group of libvirt hosts, a simulator.
    pub sites: BTreeMap<String, Site>,
    /// How provider processes run. One class per backend in use is added, named after the
    /// backend, where none of that name is declared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub provider_classes: BTreeMap<String, ProviderClassSpec>,
    /// Sizes and shapes of machines, rendered as `VMClass` objects.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, VmClassSpec>,
    /// Operating-system images, rendered as `VMImage` objects.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub images: BTreeMap<String, VmImageSpec>,
    /// How much redundancy a cluster gets: replicas over failure domains, and what that
    /// promises to survive.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tiers: BTreeMap<String, Tier>,
    /// Kubernetes clusters, provisioned by Cluster API on the sites.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clusters: BTreeMap<String, Cluster>,
    /// Sets of standalone virtual machines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub virtual_machines: BTreeMap<String, VirtualMachines>,
}

/// Name of the fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    /// Lower-case letters, digits and `-`. The Flux source and the Argo CD project are named
    /// after it.
    #[schemars(
        length(min = 1, max = 40),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub name: String,
    /// For people; not rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
