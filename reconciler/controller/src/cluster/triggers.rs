//! What causes a pass over which cluster.

use banlieue_kit::ObjectRef;
use banlieue_kit::cache::{Cache, Watch};
use banlieue_kit::runner::{Config, Reporting, Runner, Trigger, fingerprint};
use banlieue_schemas::platform::Provider;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Around, ClusterKind, Clusters, owner};

/// The reconciler with its triggers.
pub(super) fn runner<K: ClusterKind>(
    reconciler: Clusters<K>,
    clusters: &Watch<K>,
    config: Config,
    reporting: Reporting,
) -> Runner<Clusters<K>> {
    let cache = clusters.cache();
    let of_namespace = select(cache, |cluster, provider| {
        cluster.namespace == provider.namespace
    });
    let of_owner = select(cache, owner::is_of);
    let all = select(cache, |_, _| true);
    let Around { watched, owners } = reconciler.around.clone();
    Runner::new(reconciler, clusters, Trigger::Intent, config, reporting)
        .watches(&watched.providers, Trigger::IntentAnd(shown), of_namespace)
        .watches(&watched.provider_classes, Trigger::Intent, all)
        .watches(&owners, Trigger::Intent, of_owner)
}

/// The clusters that `wanted` says for another object.
pub(super) fn select<K: ClusterKind>(
    cache: &Cache<K>,
    wanted: impl Fn(&ObjectMeta, &ObjectMeta) -> bool + Send + 'static,
) -> impl Fn(&ObjectMeta) -> Vec<ObjectRef<K>> + Send + 'static {
    let cache = cache.clone();
    move |other| {
        let clusters = cache.filter(|cluster| wanted(cluster.meta(), other));
        let clusters = clusters.iter();
        clusters
            .map(|cluster| ObjectRef::from_obj(&**cluster))
            .collect()
    }
}

/// What a cluster shows of a Provider: not what is free there.
pub(super) fn shown(provider: &Provider) -> u64 {
    let domains = provider
        .status
        .iter()
        .flat_map(|status| &status.failure_domains);
    let shown = domains.map(|domain| (&domain.name, &domain.labels, &domain.attributes.raw));
    fingerprint(&shown.collect::<Vec<_>>())
}
