//! `ProviderClass`: which backend a set of Providers talks to, and how their processes run.

use std::fmt;

use k8s_openapi::api::core::v1::{ResourceRequirements, Toleration};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::common::{Condition, LocalObjectReference, StringMap};

/// What a platform engineer says once for many Providers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "banlieue.io",
    version = "v1alpha1",
    kind = "ProviderClass",
    plural = "providerclasses",
    status = "ProviderClassStatus",
    derive = "PartialEq",
    validation = Rule::new("self.metadata.name.size() <= 63")
        .message("metadata.name must have at most 63 characters, because it becomes a label value"),
    shortname = "pc",
    category = "banlieue",
    doc = "A ProviderClass says which backend a set of Providers talks to, and how their processes run. One edit of its image upgrades them all.",
    printcolumn(name = "Backend", type_ = "string", json_path = ".spec.backend"),
    printcolumn(name = "Image", type_ = "string", json_path = ".spec.image.tag"),
    printcolumn(name = "Deployment", type_ = "string", json_path = ".spec.deployment"),
    printcolumn(name = "Providers", type_ = "integer", json_path = ".status.providers"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Age",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    )
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::for_api_server)]
#[x_kube(validation = Rule::new("self.deployment == 'External' || has(self.image)")
    .message("image is required unless deployment is External"))]
#[x_kube(validation = Rule::new(
    "self.deployment != 'External' || !(has(self.image) || has(self.replicas) || has(self.resources) \
    || has(self.nodeSelector) || has(self.tolerations))"
).message("image, replicas, resources, nodeSelector and tolerations must be unset when deployment is External"))]
pub struct ProviderClassSpec {
    /// Kind of hypervisor: vsphere, libvirt or sim. Everything keys on this, nothing on the name
    /// of the class, so that one backend can have several classes. Immutable.
    #[x_kube(validation = Rule::new("self == oldSelf").message("backend is immutable"))]
    pub backend: Backend,
    /// Who runs the provider processes. Managed: the operator makes identity, RBAC and Deployment.
    /// External: the operator makes identity and RBAC only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Managed"))]
    pub deployment: Option<DeploymentMode>,
    /// Container image of the processes. Required unless the deployment is External.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<WorkloadImage>,
    /// Namespace in which the processes run. Unset means each Provider's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    #[x_kube(validation = Rule::new("!(self in ['kube-system', 'kube-public', 'kube-node-lease'])")
        .message("workloadNamespace must not be a namespace of Kubernetes itself"))]
    pub workload_namespace: Option<String>,
    /// Replicas of each process. One is active, the others wait for its lease. Unset means 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    pub replicas: Option<i32>,
    /// Requests and limits of each process. Unset means those of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourceRequirements>,
    /// Labels that a node must have to run a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_selector: Option<StringMap>,
    /// Taints that a process tolerates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub tolerations: Vec<Toleration>,
    /// What the processes log, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<Logging>,
    /// Rules added to the Role of each process. The operator must hold the same rights. Secrets,
    /// wildcards and the verbs escalate, bind and impersonate are refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub additional_rules: Vec<WorkloadRule>,
    /// When true, the operator changes no process of this class. Unset means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

impl ProviderClassSpec {
    /// Who runs the processes, with the default filled in.
    pub fn deployment(&self) -> DeploymentMode {
        self.deployment.unwrap_or_default()
    }

    /// Replicas of each process, with the default filled in.
    pub fn replicas(&self) -> i32 {
        self.replicas.unwrap_or(1)
    }
}

/// Kind of hypervisor.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// VMware vCenter.
    Vsphere,
    /// libvirt with QEMU and KVM.
    Libvirt,
    /// The in-memory simulator.
    Sim,
}

impl Backend {
    /// Every backend.
    pub const ALL: [Self; 3] = [Self::Vsphere, Self::Libvirt, Self::Sim];

    /// The name that manifests, sub-commands and field managers use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Vsphere => "vsphere",
            Self::Libvirt => "libvirt",
            Self::Sim => "sim",
        }
    }

    /// What an endpoint of this backend begins with.
    pub fn endpoint_scheme(self) -> &'static str {
        match self {
            Self::Vsphere => "https://",
            Self::Libvirt => "qemu+tls://",
            Self::Sim => "sim://",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who runs a provider process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeploymentMode {
    /// The operator.
    #[default]
    Managed,
    /// Somebody else.
    External,
}

/// A container image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new("has(self.tag) || has(self.digest)")
    .message("tag or digest must be set"))]
pub struct WorkloadImage {
    /// Registry and repository, without tag and digest.
    #[schemars(length(min = 1, max = 512), regex(pattern = r"^[^\s@]+$"))]
    pub repository: String,
    /// Tag. With a digest it only informs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$"))]
    pub tag: Option<String>,
    /// Digest that pins the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^sha256:[0-9a-f]{64}$"))]
    pub digest: Option<String>,
    /// When the node pulls the image. Unset means what Kubernetes chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_policy: Option<PullPolicy>,
    /// Secrets with registry credentials, in the namespace of the process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub pull_secrets: Vec<LocalObjectReference>,
}

impl WorkloadImage {
    /// The reference that a Pod uses: `repository[:tag][@digest]`.
    pub fn reference(&self) -> String {
        let tag = self.tag.iter().map(|tag| format!(":{tag}"));
        let digest = self.digest.iter().map(|digest| format!("@{digest}"));
        std::iter::once(self.repository.clone())
            .chain(tag)
            .chain(digest)
            .collect()
    }
}

/// When a node pulls an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PullPolicy {
    /// At every start.
    Always,
    /// When the node does not have it.
    IfNotPresent,
    /// Never.
    Never,
}

impl PullPolicy {
    /// The name that a Pod uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "Always",
            Self::IfNotPresent => "IfNotPresent",
            Self::Never => "Never",
        }
    }
}

/// What a process logs, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Logging {
    /// A level, or levels by module: `info` or `info,kube=warn`. Unset means `info`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub level: Option<String>,
    /// One JSON object or one line of text for each event. Unset means `json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<LogFormat>,
}

/// Form of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object for each event.
    #[default]
    Json,
    /// One line of text for each event.
    Text,
}

impl LogFormat {
    /// The name that manifests and flags use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
        }
    }
}

/// A rule of a Role: who holds it may use the verbs on the resources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = Rule::new(
    "self.resources.all(r, r != 'secrets' && !r.startsWith('secrets/'))"
).message("resources must not hold secrets"))]
#[x_kube(validation = Rule::new("self.resources.all(r, !r.contains('*'))")
    .message("resources must not hold a wildcard"))]
#[x_kube(validation = Rule::new(
    "self.verbs.all(v, !(v in ['*', 'escalate', 'bind', 'impersonate']))"
).message("verbs must not hold *, escalate, bind or impersonate"))]
pub struct WorkloadRule {
    /// API groups, `""` for the core group.
    #[schemars(length(min = 1, max = 16), inner(length(max = 253)))]
    pub api_groups: Vec<String>,
    /// Resources, with sub-resources as `resource/subresource`.
    #[schemars(length(min = 1, max = 32), inner(length(min = 1, max = 127)))]
    pub resources: Vec<String>,
    /// Names of single objects. Unset means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(min = 1, max = 253)))]
    pub resource_names: Vec<String>,
    /// What may be done.
    #[schemars(length(min = 1, max = 16), inner(length(min = 1, max = 63)))]
    pub verbs: Vec<String>,
}

/// What the operator knows about a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::for_api_server)]
pub struct ProviderClassStatus {
    /// The generation of the spec that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// How many Providers name this class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub providers: Option<i32>,
    /// Conditions, among them Ready. Written by the operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
}
