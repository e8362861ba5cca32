//! The status of a ProviderClass: whether it can be used, before any Provider does.

use banlieue_schemas::conditions::{ConditionType, Reason, Writer};
use banlieue_schemas::manifests::provider_workload::provider_workload;
use banlieue_schemas::platform::{DeploymentMode, ProviderClass, ProviderClassStatus};
use k8s_openapi::jiff::Timestamp;

use crate::conditions::{Scope, Wanted, merge};

/// Whose conditions these are.
const SCOPE: Scope = Scope {
    kind: "ProviderClass",
    writer: Writer::Operator,
};

/// The status that the operator applies. `providers` counts those that name the class,
/// `has_cluster_role` says whether the shared ClusterRole of its backend exists.
pub fn class_status(
    class: &ProviderClass,
    providers: usize,
    has_cluster_role: bool,
    now: Timestamp,
) -> ProviderClassStatus {
    let old = class.status.as_ref();
    let conditions = old.map_or(&[][..], |status| &status.conditions);
    let generation = class.metadata.generation;
    let wanted = wanted(class, has_cluster_role);
    ProviderClassStatus {
        observed_generation: generation,
        providers: Some(i32::try_from(providers).unwrap_or(i32::MAX)),
        conditions: merge(SCOPE, conditions, &wanted, generation, now),
    }
}

fn wanted(class: &ProviderClass, has_cluster_role: bool) -> Vec<Wanted> {
    use ConditionType::{Paused, Ready, Reconciling, Stalled};
    let spec = &class.spec;
    let mut wanted = Vec::new();
    if spec.deployment() == DeploymentMode::Managed && spec.image.is_none() {
        let message = "spec.image is required unless spec.deployment is External";
        wanted.push(Wanted::new(Ready, false, Reason::InvalidSpec, message));
        wanted.push(Wanted::new(Stalled, true, Reason::InvalidSpec, message));
    } else if has_cluster_role {
        wanted.push(Wanted::new(Ready, true, Reason::Reconciled, ""));
    } else {
        let name = provider_workload(spec.backend).name();
        let message = format!("ClusterRole {name} does not exist");
        wanted.push(Wanted::new(
            Ready,
            false,
            Reason::ClusterRoleMissing,
            &message,
        ));
        wanted.push(Wanted::new(
            Reconciling,
            true,
            Reason::ClusterRoleMissing,
            &message,
        ));
    }
    let paused = spec.paused == Some(true);
    let message = "spec.paused is set";
    wanted.push(Wanted::new(Paused, paused, Reason::Paused, message));
    wanted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::fixtures::provider_class;

    /// `type=status/reason` of each condition.
    fn said(class: &ProviderClass, has_cluster_role: bool) -> Vec<String> {
        let status = class_status(class, 3, has_cluster_role, Timestamp::UNIX_EPOCH);
        assert_eq!(status.providers, Some(3));
        let conditions = status.conditions.iter();
        conditions
            .map(|condition| {
                format!(
                    "{}={}/{}",
                    condition.type_, condition.status, condition.reason
                )
            })
            .collect()
    }

    #[test]
    fn an_unusable_class_says_so_before_any_provider_uses_it() {
        let mut class = provider_class();
        assert_eq!(said(&class, true), ["Ready=True/Reconciled"]);
        assert_eq!(
            said(&class, false),
            [
                "Ready=False/ClusterRoleMissing",
                "Reconciling=True/ClusterRoleMissing"
            ]
        );
        class.spec.paused = Some(true);
        assert_eq!(
            said(&class, true),
            ["Paused=True/Paused", "Ready=True/Reconciled"]
        );
        class.spec.paused = None;
        class.spec.image = None;
        assert_eq!(
            said(&class, true),
            ["Ready=False/InvalidSpec", "Stalled=True/InvalidSpec"]
        );
        class.spec.deployment = Some(DeploymentMode::External);
        assert_eq!(said(&class, true), ["Ready=True/Reconciled"]);
    }
}
