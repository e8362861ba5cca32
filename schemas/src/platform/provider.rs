//! `Provider`: one backend instance, that is one vCenter, one libvirt host or one simulator.

mod status;

use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::status::*;
use crate::common::{CaBundleSource, LocalObjectReference, StringMap, SubnetDefaults};

/// What a platform engineer says about a backend instance.
///
/// `connection.insecureSkipTLSVerify: true` also needs the annotation
/// `banlieue.io/allow-insecure-tls: "true"`. A CRD rule cannot read annotations, so that one check
/// is a `ValidatingAdmissionPolicy`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "banlieue.io",
    version = "v1alpha1",
    kind = "Provider",
    namespaced,
    status = "ProviderStatus",
    derive = "PartialEq",
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name must have at most 63 characters, because it becomes a label value"),
    shortname = "prov",
    category = "banlieue",
    doc = "A Provider is one backend instance: one vCenter, one libvirt host or one simulator. Its failure domains are where virtual machines run.",
    printcolumn(
        name = "Class",
        type_ = "string",
        json_path = ".spec.providerClassRef.name"
    ),
    printcolumn(
        name = "Endpoint",
        type_ = "string",
        json_path = ".spec.connection.endpoint",
        priority = 1
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].reason",
        priority = 1
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::for_api_server)]
pub struct ProviderSpec {
    /// The ProviderClass that says which backend this is and how its process runs. Another class
    /// of the same backend replaces the process, which is how one Provider tries a new image.
    pub provider_class_ref: LocalObjectReference,
    /// How to reach and trust the backend.
    pub connection: Connection,
    /// What this backend offers, as its owner declares it. Probing only ever narrows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// When true, nothing is done on this backend until it is unset. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Reserved for vSphere Content Library import; it has no effect. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_content_library: Option<bool>,
    /// Names of failure domains that replace the computed ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["datacenter".into(), "cluster".into()]))]
    pub failure_domain_name_overrides: Vec<FailureDomainNameOverride>,
    /// What a broker needs to check the TPMs of machines on this backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Attestation>,
}

/// How to reach and trust a backend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("self.endpoint.startsWith('sim://') || has(self.credentialsRef)")
    .message("credentialsRef is required unless the endpoint is sim://"))]
#[x_kube(validation = Rule::new(
    "!has(self.insecureSkipTLSVerify) || !self.insecureSkipTLSVerify || self.endpoint.startsWith('https://')"
).message("insecureSkipTLSVerify is only for https:// endpoints"))]
pub struct Connection {
    /// URL of the backend. Its scheme says what it is: `https://` for vSphere, `qemu+tls://` for
    /// libvirt, `sim://` for the simulator. User names, passwords, queries and fragments are
    /// refused: credentials and trust have their own fields.
    #[schemars(
        length(min = 1, max = 1024),
        regex(pattern = r"^[a-z][a-z0-9+]*://[^\s/]\S*$")
    )]
    #[x_kube(validation = Rule::new(
        "self.startsWith('https://') || self.startsWith('qemu+tls://') || self.startsWith('sim://')"
    ).message("endpoint must begin with https://, qemu+tls:// or sim://"))]
    #[x_kube(validation = Rule::new("!self.contains('@')")
        .message("endpoint must not hold a user name or password; use credentialsRef"))]
    #[x_kube(validation = Rule::new("!self.contains('?')")
        .message("endpoint must not hold a query; trust belongs into caBundle"))]
    #[x_kube(validation = Rule::new("!self.contains('#')")
        .message("endpoint must not hold a fragment"))]
    pub endpoint: String,
    /// Secret in the Provider's namespace. Keys are `username` and `password` for vSphere,
    /// `tls.crt` and `tls.key` for libvirt. Required, except for the simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials_ref: Option<LocalObjectReference>,
    /// When true, the certificate of an `https://` endpoint is not verified. It also needs the
    /// annotation `banlieue.io/allow-insecure-tls: "true"` on the Provider. Unset means false.
    #[serde(
        default,
        rename = "insecureSkipTLSVerify",
        skip_serializing_if = "Option::is_none"
    )]
    pub insecure_skip_tls_verify: Option<bool>,
    /// Authorities to trust. Unset means those of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<CaBundleSource>,
}

/// What a backend offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capabilities {
    /// Storage classes, by the names that VMClasses use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub storage_classes: Vec<StorageClass>,
    /// Network classes, by the names that VMClasses use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub network_classes: Vec<NetworkClass>,
    /// Features that a VMClass may ask for. Well known are `hotAddCPU`, `hotAddMemory`,
    /// `efiSecureBoot`, `nestedVirtualization`, `gpuPassthrough` and `vtpm`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 63)))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub features: Vec<String>,
}

/// A storage class: one name for what each zone calls differently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StorageClass {
    /// Name that a VMClass uses.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Where disks go in a zone without an entry in `perZone`. Keys are `datastore`, or
    /// `datastoreCluster`, or `tagCategory` and `tag` for vSphere, and `pool` for libvirt. Unset
    /// means that only the zones in `perZone` have this class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<StringMap>,
    /// Targets of single zones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["datacenter".into(), "cluster".into()]))]
    pub per_zone: Vec<ZoneTarget>,
}

/// A network class: one name for what each zone calls differently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkClass {
    /// Name that a VMClass uses.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Where interfaces go in a zone without an entry in `perZone`. Keys are `portGroup` or
    /// `distributedPortGroup` for vSphere, and `network` or `bridge` for libvirt. Unset means that
    /// only the zones in `perZone` have this class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<StringMap>,
    /// Targets of single zones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["datacenter".into(), "cluster".into()]))]
    pub per_zone: Vec<ZoneTarget>,
    /// What the subnet gives a guest in a zone without an entry in `perZoneSubnet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subnet: Option<SubnetDefaults>,
    /// Subnets of single zones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["datacenter".into(), "cluster".into()]))]
    pub per_zone_subnet: Vec<ZoneSubnet>,
}

/// What a class is called in one zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ZoneTarget {
    /// Datacenter of the zone.
    #[schemars(length(min = 1, max = 253))]
    pub datacenter: String,
    /// Compute cluster of the zone.
    #[schemars(length(min = 1, max = 253))]
    pub cluster: String,
    /// The same keys as in the default target of the class.
    pub target: StringMap,
}

/// The subnet of a network class in one zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ZoneSubnet {
    /// Datacenter of the zone.
    #[schemars(length(min = 1, max = 253))]
    pub datacenter: String,
    /// Compute cluster of the zone.
    #[schemars(length(min = 1, max = 253))]
    pub cluster: String,
    /// What the subnet gives a guest.
    pub subnet: SubnetDefaults,
}

/// A chosen name of a failure domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureDomainNameOverride {
    /// Datacenter of the zone.
    #[schemars(length(min = 1, max = 253))]
    pub datacenter: String,
    /// Compute cluster of the zone.
    #[schemars(length(min = 1, max = 253))]
    pub cluster: String,
    /// Name of the failure domain. It becomes a label value.
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub name: String,
}

/// What a broker needs to check TPMs. It is published, not verified here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attestation {
    /// Authorities that issue the endorsement key certificates of virtual TPMs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ek_trust_bundle: Option<CaBundleSource>,
}
