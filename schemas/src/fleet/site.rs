//! Places where machines run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    common::{CaBundleSource, SubnetDefaults},
    platform::Backend,
};

/// A place where machines run. On vSphere a site is one vCenter and its zones are compute
/// clusters; on libvirt a site is a group of hosts and each zone is one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Site {
    /// Which hypervisor it is.
    pub backend: Backend,
    /// Class of the provider process. Default: the class named after the backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_class: Option<String>,
    /// Address of the hypervisor's API: `https://` for vSphere, `qemu+tls://` for libvirt,
    /// `sim://` for the simulator. On libvirt each zone has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Secret with the credentials. On libvirt a zone may have its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Credentials>,
    /// Certificates of the authority that signed the endpoint's. Absent: the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<CaBundleSource>,
    /// Labels of the Provider and of each of its failure domains, to select by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Zones by name. Each is one failure domain, named `<site>-<zone>`.
    #[schemars(length(min = 1))]
    pub zones: BTreeMap<String, Zone>,
    /// Storage classes that machine classes may name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage_classes: BTreeMap<String, StorageClass>,
    /// Network classes that machine classes may name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub network_classes: BTreeMap<String, NetworkClass>,
    /// What every zone can do, for example `efiSecureBoot` or `vtpm`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Stops all reconciling of the site's machines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// One failure domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Zone {
    /// vSphere: name of the datacenter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datacenter: Option<String>,
    /// vSphere: name of the compute cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// libvirt: address of this host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// libvirt: credentials of this host, instead of the site's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Credentials>,
    /// Whether control-plane machines may run here. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_plane: Option<bool>,
}

/// Credentials of a hypervisor, by reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Credentials {
    /// Name of a Secret declared under `secrets`. It is read in the namespace of the Provider.
    #[schemars(length(min = 1, max = 253))]
    pub secret: String,
}

/// What a storage class means at a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StorageClass {
    /// Target in every zone: `datastore` or `datastoreCluster` on vSphere, `pool` on libvirt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub target: BTreeMap<String, String>,
    /// Target by zone, instead of the common one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per_zone: BTreeMap<String, BTreeMap<String, String>>,
}

/// What a network class means at a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkClass {
    /// Target in every zone: `portGroup` or `distributedPortGroup` on vSphere, `network` or
    /// `bridge` on libvirt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub target: BTreeMap<String, String>,
    /// Target by zone, instead of the common one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per_zone: BTreeMap<String, BTreeMap<String, String>>,
    /// What a static address needs beside itself, in every zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subnet: Option<SubnetDefaults>,
    /// The same by zone, instead of the common one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per_zone_subnet: BTreeMap<String, SubnetDefaults>,
}
