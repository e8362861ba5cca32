//! The end of a Provider: what outlives it goes, then its finalizer.
//!
//! Needs nothing but the Provider's name, namespace and UID, so that it works for an object that
//! does not parse. Whatever its labels name is asked of the API server: what a cache has not heard
//! of yet would stay for ever.

use std::collections::BTreeMap;
use std::time::Duration;

use banlieue_kit::errors::ApiError;
use banlieue_kit::prune::prune_listed;
use banlieue_kit::{Client, Kind, Timestamp, finalizer};
use banlieue_schemas::labels;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::platform::Provider;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, Role, RoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::FINALIZER;

/// Shortest and longest wait between two looks for machines that are left.
const WAITS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// Removes what no owner reference to the Provider reaches, then its finalizer. Doing it twice is
/// harmless.
pub async fn remove(client: &Client, provider: &ObjectMeta) -> Result<(), ApiError> {
    these::<Deployment>(client, provider).await?;
    these::<Lease>(client, provider).await?;
    these::<ClusterRoleBinding>(client, provider).await?;
    these::<RoleBinding>(client, provider).await?;
    these::<Role>(client, provider).await?;
    these::<ServiceAccount>(client, provider).await?;
    finalizer::remove::<Provider>(client, &Manager::Operator, provider, FINALIZER).await?;
    Ok(())
}

/// When to look again for machines: after a tenth of the time that the deletion has taken so far,
/// so that a short one is not drawn out, and a long one costs little.
pub fn look_again(provider: &ObjectMeta, now: Timestamp) -> Duration {
    let since = provider.deletion_timestamp.as_ref();
    let waited = since.map(|since| now.duration_since(since.0));
    let waited = waited.and_then(|waited| Duration::try_from(waited).ok());
    let (shortest, longest) = WAITS;
    (waited.unwrap_or_default() / 10).clamp(shortest, longest)
}

async fn these<K: Kind>(client: &Client, provider: &ObjectMeta) -> Result<(), ApiError> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let labels = BTreeMap::from([
        (labels::PROVIDER.to_owned(), text(&provider.name)),
        (
            labels::PROVIDER_NAMESPACE.to_owned(),
            text(&provider.namespace),
        ),
    ]);
    prune_listed::<K>(client, None, &labels, |meta| is_owned(meta, provider)).await?;
    Ok(())
}

/// Whether the garbage collector removes the object with the Provider.
fn is_owned(meta: &ObjectMeta, provider: &ObjectMeta) -> bool {
    let mut owners = meta.owner_references.iter().flatten();
    owners.any(|owner| Some(&owner.uid) == provider.uid.as_ref())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;

    #[test]
    fn a_long_deletion_is_looked_at_less_often() {
        let now: Timestamp = "2026-01-01T01:00:00Z".parse().unwrap();
        let wait = |since: &str| {
            let provider = ObjectMeta {
                deletion_timestamp: Some(Time(since.parse().unwrap())),
                ..ObjectMeta::default()
            };
            look_again(&provider, now).as_secs()
        };
        assert_eq!(wait("2026-01-01T01:00:00Z"), 1);
        assert_eq!(wait("2026-01-01T00:59:00Z"), 6);
        assert_eq!(wait("2025-01-01T00:00:00Z"), 30);
        assert_eq!(wait("2026-01-01T02:00:00Z"), 1, "clocks that differ");
    }
}
