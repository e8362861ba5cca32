//! The part of a Provider's status that its process writes. Pure.
//!
//! | health | ProviderReachable | Ready |
//! |---|---|---|
//! | usable | True | True: `Reconciled`, or `CapabilitiesIncomplete` with what no zone has |
//! | unusable | True | False: `InventoryFailed`, `NoFailureDomains` |
//! | away | False: `ConnectFailed`, `Unauthorized`, `SecretMissing`, `SecretInvalid`, `CredentialsUnavailable` | the same |
//! | paused | as it was | as it was, and Paused |

use banlieue_core::conditions::{Scope, Truth, Wanted, find, merge};
use banlieue_kit::Timestamp;
use banlieue_schemas::common::Condition;
use banlieue_schemas::conditions::{ConditionType, Reason, Writer, owner};
use banlieue_schemas::platform::{Provider, ProviderStatus};

use super::plan::{Health, Plan};

const SCOPE: Scope = Scope {
    kind: "Provider",
    writer: Writer::Provider,
};

/// That part of a status which the process of the Provider writes.
pub(super) fn own_part(provider: &Provider) -> ProviderStatus {
    let mut part = provider.status.clone().unwrap_or_default();
    part.workload = None;
    let own = ConditionType::ALL.iter().copied();
    let own: Vec<_> = own
        .filter(|kind| owner(SCOPE.kind, *kind) == Some(SCOPE.writer))
        .map(ConditionType::as_str)
        .collect();
    part.conditions
        .retain(|condition| own.contains(&condition.type_.as_str()));
    part
}

/// That part as it should be.
pub(super) fn status(provider: &Provider, plan: Plan, now: Timestamp) -> ProviderStatus {
    let old = provider.status.iter();
    let old: Vec<Condition> = old.flat_map(|status| status.conditions.clone()).collect();
    let generation = provider.metadata.generation;
    let wanted = wanted(&plan.health, &old);
    ProviderStatus {
        observed_generation: generation,
        failure_domains: plan.domains,
        workload: None,
        conditions: merge(SCOPE, &old, &wanted, generation, now),
    }
}

fn wanted(health: &Health, old: &[Condition]) -> Vec<Wanted> {
    let kind = ConditionType::ProviderReachable;
    let answers = || {
        let message = "the backend answers and accepts the credentials";
        Wanted::new(kind, true, Reason::Reconciled, message)
    };
    match health {
        Health::Usable { lacking } => vec![answers(), usable(lacking)],
        Health::Unusable(problem) => {
            let mut wanted = problem.wanted(Truth::False).to_vec();
            wanted.push(answers());
            wanted
        }
        Health::Away(problem) => {
            let mut wanted = problem.wanted(Truth::False).to_vec();
            wanted.push(Wanted::new(kind, false, problem.reason, &problem.message));
            wanted
        }
        Health::Paused => paused(old),
    }
}

/// A class that no zone has keeps only the machines that ask for it from being made.
fn usable(lacking: &[String]) -> Wanted {
    let kind = ConditionType::Ready;
    if lacking.is_empty() {
        return Wanted::new(kind, true, Reason::Reconciled, "machines can be made");
    }
    let message = format!("no zone has {}", lacking.join(", "));
    Wanted::new(kind, true, Reason::CapabilitiesIncomplete, message)
}

fn paused(old: &[Condition]) -> Vec<Wanted> {
    let message = "spec.paused is set";
    let kept = [ConditionType::Ready, ConditionType::ProviderReachable].map(|kind| {
        find(old, kind).map_or_else(
            || Wanted::new(kind, Truth::Unknown, Reason::Paused, message),
            |known| Wanted::mirrored(kind, known),
        )
    });
    let paused = Wanted::new(ConditionType::Paused, true, Reason::Paused, message);
    kept.into_iter().chain([paused]).collect()
}
