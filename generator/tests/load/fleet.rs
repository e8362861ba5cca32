//! A fleet in miniature: every shape of type that the real one has.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use schemars::JsonSchema;
use serde::Deserialize;

/// The whole input.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fleet {
    pub api_version: String,
    pub kind: String,
    #[serde(default)]
    pub parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    pub tiers: BTreeMap<String, Tier>,
    #[serde(default)]
    pub sites: BTreeMap<String, Site>,
    #[serde(default)]
    pub clusters: BTreeMap<String, Cluster>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameter {
    pub r#type: ParameterType,
    #[serde(default)]
    pub default: Option<serde_json::Value>,
    #[serde(default)]
    pub r#enum: Option<Vec<serde_json::Value>>,
    #[serde(default)]
    pub pattern: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ParameterType {
    String,
    Integer,
    Boolean,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tier {
    /// Machines of the control plane. An odd number keeps a quorum.
    #[schemars(range(min = 1, max = 9))]
    pub replicas: u32,
    /// How the control plane runs.
    #[serde(default)]
    pub control_plane: Option<ControlPlane>,
    #[serde(default)]
    #[schemars(length(max = 2))]
    pub survives: Vec<Failure>,
    #[serde(default)]
    pub weight: Option<f64>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ControlPlane {
    /// In pods of the management cluster.
    K0smotron,
    /// On machines of its own.
    Kubeadm,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Failure {
    FailureDomain,
    Site,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Site {
    pub backend: Backend,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Backend {
    Vsphere(Endpoint),
    Libvirt(Endpoint),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Endpoint {
    /// Where the backend listens, with scheme.
    #[schemars(regex(pattern = r"^[a-z+]+://"))]
    pub endpoint: String,
    #[serde(default)]
    pub insecure: bool,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cluster {
    /// Name of an entry of `tiers`.
    pub tier: String,
    #[serde(default)]
    pub version: Option<String>,
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    #[serde(default)]
    pub port: Option<Port>,
    #[serde(default)]
    pub address: Option<Ipv4Addr>,
    #[serde(default)]
    pub storage: Option<Storage>,
    /// Passed on as it is.
    #[serde(default)]
    pub extra: Option<serde_json::Value>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Port {
    Number(u16),
    Name(String),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum Storage {
    Local { size: String },
    Nfs(Nfs),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Nfs {
    /// Name or address of the server.
    pub server: String,
}
