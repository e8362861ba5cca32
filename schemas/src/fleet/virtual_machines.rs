//! Sets of standalone virtual machines.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    common::PowerState,
    platform::{MigrationPolicy, NetworkOverride, UserDataSource},
};

/// A set of standalone virtual machines that differ in number and address only, rendered as
/// `VirtualMachine` objects spread over failure domains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VirtualMachines {
    /// How many. They are named `<set>-0`, `<set>-1` and so on.
    #[schemars(range(min = 0, max = 10000))]
    pub replicas: u32,
    /// Machine class, from `classes`.
    #[schemars(length(min = 1))]
    pub class: String,
    /// Image, from `images`.
    #[schemars(length(min = 1))]
    pub image: String,
    /// Sites that they may run at. Empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<String>,
    /// Namespace of the objects. Default: the platform's `fleetNamespace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub namespace: Option<String>,
    /// Puts each machine into a failure domain of its own, as far as there are any. Default:
    /// true.
    #[serde(default = "spread_by_default")]
    pub spread: bool,
    /// What the guest is configured with. Same for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_data: Option<UserDataSource>,
    /// Makes the user data from a template, instead of `userData`. It holds no secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud_init: Option<CloudInit>,
    /// When a machine may be moved. Default: `onSpecChange`.
    #[serde(default)]
    pub migration_policy: MigrationPolicy,
    /// Wanted power state. Default: `PoweredOn`.
    #[serde(default)]
    pub desired_power_state: PowerState,
    /// Static addresses by machine number: `"0"`, `"1"` and so on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub network_overrides: BTreeMap<String, Vec<NetworkOverride>>,
    /// Labels of each object, to select by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

fn spread_by_default() -> bool {
    true
}

/// User data made from a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CloudInit {
    /// Name of the template: `base`, or a file `cloud-init/<name>.yaml.j2` of your own.
    #[serde(default = "base_template")]
    #[schemars(
        length(min = 1, max = 63),
        regex(pattern = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub template: String,
    /// Values that the template gets as `values`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, serde_json::Value>,
}

fn base_template() -> String {
    "base".to_owned()
}
