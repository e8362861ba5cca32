//! Types that several kinds share.

use std::collections::BTreeMap;

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};

/// Names an object in the same namespace, or a cluster-scoped one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalObjectReference {
    /// Name of the object.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// Names an object of any kind. Without a namespace it is in the referring object's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TypedObjectReference {
    /// API group of the object, empty for the core group.
    pub api_group: String,
    /// Kind of the object.
    #[schemars(length(min = 1))]
    pub kind: String,
    /// Name of the object.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Namespace of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// Names one key of a Secret or ConfigMap in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeySelector {
    /// Name of the Secret or ConfigMap.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// Key in it. The field that holds this selector says which key is meant when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Where PEM certificates of trusted authorities come from. Exactly one source is set; the key
/// is `ca.crt` unless given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new(
    "[has(self.inline), has(self.configMapRef), has(self.secretRef)].filter(x, x).size() == 1"
).message("exactly one of inline, configMapRef and secretRef must be set"))]
pub struct CaBundleSource {
    /// PEM text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<String>,
    /// A ConfigMap in the same namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map_ref: Option<KeySelector>,
    /// A Secret in the same namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<KeySelector>,
}

/// How the space of a disk is allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DiskProvisioning {
    /// Space is taken as the guest writes.
    #[default]
    Thin,
    /// Space is reserved, and zeroed as the guest writes.
    Thick,
    /// Space is reserved and zeroed before the first use.
    EagerZeroed,
}

/// Firmware of a virtual machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Firmware {
    /// Legacy BIOS.
    Bios,
    /// UEFI without Secure Boot.
    #[default]
    Efi,
    /// UEFI with Secure Boot.
    EfiSecure,
}

/// Power state of a virtual machine. The names are long so that no YAML 1.1 reader takes one
/// for a boolean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PowerState {
    /// Running.
    #[default]
    PoweredOn,
    /// Shut down.
    PoweredOff,
    /// Memory kept, not running.
    Suspended,
}

/// How an interface gets its address. Neither field set means DHCP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("!(has(self.static) && has(self.pool))")
    .message("static and pool exclude each other"))]
pub struct IpamSpec {
    /// A fixed address.
    #[serde(default, rename = "static", skip_serializing_if = "Option::is_none")]
    pub fixed: Option<StaticIpam>,
    /// An address from a Cluster API IPAM pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolIpam>,
}

/// A fixed address and what the guest needs to use it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("isIP(self.address)")
    .message("address must be an IPv4 or IPv6 address, without a prefix"))]
#[x_kube(validation = Rule::new("self.prefix <= 32 || self.address.contains(':')")
    .message("prefix must be at most 32 for an IPv4 address"))]
#[x_kube(validation = Rule::new("!has(self.gateway) || isIP(self.gateway)")
    .message("gateway must be an IPv4 or IPv6 address"))]
#[x_kube(validation = Rule::new("!has(self.nameservers) || self.nameservers.all(n, isIP(n))")
    .message("every nameserver must be an IPv4 or IPv6 address"))]
pub struct StaticIpam {
    /// IPv4 or IPv6 address without the prefix.
    #[schemars(length(min = 2, max = 45))]
    pub address: String,
    /// Prefix length in bits.
    #[schemars(range(min = 0, max = 128), extend("format" = "int32"))]
    pub prefix: u8,
    /// Default gateway; the zone's subnet gives it when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 45))]
    pub gateway: Option<String>,
    /// DNS servers; the zone's subnet gives them when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), inner(length(min = 2, max = 45)))]
    pub nameservers: Vec<String>,
    /// Search domain, and suffix of the guest's FQDN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub domain: Option<String>,
}

/// What a subnet gives every guest in it. Whatever an interface sets itself wins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("!has(self.gateway) || isIP(self.gateway)")
    .message("gateway must be an IPv4 or IPv6 address"))]
#[x_kube(validation = Rule::new("!has(self.nameservers) || self.nameservers.all(n, isIP(n))")
    .message("every nameserver must be an IPv4 or IPv6 address"))]
pub struct SubnetDefaults {
    /// Prefix length in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 128))]
    pub prefix: Option<u8>,
    /// Default gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 45))]
    pub gateway: Option<String>,
    /// DNS servers, the preferred one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 8), inner(length(min = 2, max = 45)))]
    pub nameservers: Vec<String>,
    /// Search domain, and suffix of the guest's FQDN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub domain: Option<String>,
}

/// An address pool of a Cluster API IPAM provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolIpam {
    /// The pool object, for example an `InClusterIPPool`.
    pub pool_ref: TypedObjectReference,
}

/// Where infrastructure stands in its first provisioning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializationStatus {
    /// True once the infrastructure was fully provisioned. It never goes back: Cluster API
    /// starts later steps on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioned: Option<bool>,
}

impl InitializationStatus {
    /// The value once everything is provisioned.
    pub fn done() -> Self {
        Self {
            provisioned: Some(true),
        }
    }

    /// Whether provisioning was ever completed. Absent means no.
    pub fn is_done(&self) -> bool {
        self.provisioned == Some(true)
    }
}

/// One address of a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MachineAddress {
    /// What the address is.
    #[serde(rename = "type")]
    pub kind: MachineAddressType,
    /// Host name, DNS name or IP address.
    #[schemars(length(min = 1, max = 256))]
    pub address: String,
}

/// What a machine address is. The names are those of Cluster API.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum MachineAddressType {
    /// Host name of the guest.
    Hostname,
    /// IP address reachable from outside the cluster.
    ExternalIP,
    /// IP address inside the cluster's network.
    InternalIP,
    /// DNS name that resolves to an external address.
    ExternalDNS,
    /// DNS name that resolves to an internal address.
    InternalDNS,
}

/// Name to text, for labels, annotations and backend targets.
pub type StringMap = BTreeMap<String, String>;
