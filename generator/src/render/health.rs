//! When an object of a kind is healthy: one table for Flux's CEL and Argo CD's Lua.
//!
//! Kinds of ours follow the kstatus conventions with `Ready`. Cluster API's v1beta2 kinds report
//! `Available` and have no `Ready`, which kstatus takes for healthy at once; both engines need to
//! be told. An object without conditions is in progress, never healthy and never failed.

use serde_json::{Value, json};

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// API group.
    pub group: &'static str,
    /// Version that is rendered.
    pub version: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Condition that says healthy.
    pub condition: &'static str,
}

const fn check(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    condition: &'static str,
) -> Check {
    Check {
        group,
        version,
        kind,
        condition,
    }
}

const PLATFORM: &str = banlieue_schemas::PLATFORM_GROUP;
const INFRASTRUCTURE: &str = banlieue_schemas::INFRASTRUCTURE_GROUP;
const OURS: &str = banlieue_schemas::VERSION;

/// Every kind whose health the engines are told about.
pub const CHECKS: &[Check] = &[
    check(PLATFORM, OURS, "Provider", "Ready"),
    check(PLATFORM, OURS, "ProviderClass", "Ready"),
    check(PLATFORM, OURS, "VMImage", "Ready"),
    check(PLATFORM, OURS, "VirtualMachine", "Ready"),
    check(INFRASTRUCTURE, OURS, "LibvirtCluster", "Ready"),
    check(INFRASTRUCTURE, OURS, "SimCluster", "Ready"),
    check(INFRASTRUCTURE, OURS, "VSphereCluster", "Ready"),
    check("cluster.x-k8s.io", "v1beta2", "Cluster", "Available"),
    check(
        "cluster.x-k8s.io",
        "v1beta2",
        "MachineDeployment",
        "Available",
    ),
    check(
        "controlplane.cluster.x-k8s.io",
        "v1beta2",
        "K0sControlPlane",
        "Available",
    ),
    check(
        "controlplane.cluster.x-k8s.io",
        "v1beta2",
        "K0smotronControlPlane",
        "Available",
    ),
    check(
        "controlplane.cluster.x-k8s.io",
        "v1beta2",
        "KubeadmControlPlane",
        "Available",
    ),
];

/// The row as an entry of `healthCheckExprs` of a Flux Kustomization.
pub fn flux(check: &Check) -> Value {
    let Check {
        group,
        version,
        kind,
        condition,
    } = check;
    let has = |status: &str| {
        format!(
            "has(status.conditions) && status.conditions.exists(c, c.type == '{condition}' && c.status == '{status}')"
        )
    };
    let stalled = "has(status.conditions) && status.conditions.exists(c, c.type == 'Stalled' && c.status == 'True')";
    let behind =
        "has(status.observedGeneration) && status.observedGeneration != metadata.generation";
    json!({
        "apiVersion": format!("{group}/{version}"),
        "kind": kind,
        "current": has("True"),
        "failed": stalled,
        "inProgress": format!("{behind} || !({})", has("True")),
    })
}

/// The row as key and Lua text of Argo CD's `resource.customizations.health`.
pub fn argocd(check: &Check) -> (String, String) {
    let Check {
        group,
        kind,
        condition,
        ..
    } = check;
    let lua = format!(
        r#"local health = {{ status = "Progressing", message = "waiting for {condition}" }}
if obj.status == nil or obj.status.conditions == nil then
  return health
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration ~= obj.metadata.generation then
  return health
end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Stalled" and condition.status == "True" then
    return {{ status = "Degraded", message = condition.message }}
  end
end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "{condition}" then
    if condition.status == "True" then
      return {{ status = "Healthy", message = condition.message }}
    end
    health.message = condition.message
  end
end
return health
"#
    );
    (
        format!("resource.customizations.health.{group}_{kind}"),
        lua,
    )
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, flux};

    #[test]
    fn an_object_without_conditions_is_never_failed() {
        for check in CHECKS {
            let entry = flux(check);
            for key in ["current", "failed"] {
                let text = entry[key].as_str().unwrap_or_default();
                assert!(text.contains("exists(") && !text.contains("all("), "{text}");
            }
        }
    }
}
