//! Infrastructure clusters: the failure domains of their Providers, as Cluster API reads them.
//!
//! One reconciler for the kinds of all backends. It makes nothing and holds nothing, so there is no
//! finalizer and no cleanup.

mod dereference;
mod owner;
mod status;

use std::sync::Arc;

use banlieue_kit::cache::{Cache, Watch};
use banlieue_kit::errors::ApiError;
use banlieue_kit::runner::{Config, Next, Reconciler, Reporting, Runner, Trigger, fingerprint};
use banlieue_kit::{Client, Kind, ObjectRef, Timestamp};
use banlieue_schemas::infrastructure::{
    InfraCluster, InfraClusterStatus, LibvirtCluster, SimCluster, VSphereCluster,
};
use banlieue_schemas::platform::{Backend, Provider};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::core::object::HasStatus;

use crate::watched::Watched;
pub use owner::Owner;

/// A kind of infrastructure cluster.
pub trait ClusterKind: Kind + InfraCluster + HasStatus<Status = InfraClusterStatus> {
    /// Name of the kind.
    const KIND: &'static str;
    /// Name of its reconciler.
    const NAME: &'static str;
    /// Backend of the kind.
    const BACKEND: Backend;
}

impl ClusterKind for VSphereCluster {
    const KIND: &'static str = "VSphereCluster";
    const NAME: &'static str = "vsphere_cluster";
    const BACKEND: Backend = Backend::Vsphere;
}

impl ClusterKind for LibvirtCluster {
    const KIND: &'static str = "LibvirtCluster";
    const NAME: &'static str = "libvirt_cluster";
    const BACKEND: Backend = Backend::Libvirt;
}

impl ClusterKind for SimCluster {
    const KIND: &'static str = "SimCluster";
    const NAME: &'static str = "sim_cluster";
    const BACKEND: Backend = Backend::Sim;
}

/// What clusters look at.
#[derive(Clone, Debug)]
pub struct Around {
    /// Providers and their classes.
    pub watched: Watched,
    /// Clusters of Cluster API.
    pub owners: Watch<Owner>,
}

/// Reconciles the clusters of one kind.
pub struct Clusters<K: ClusterKind> {
    client: Client,
    cache: Cache<K>,
    around: Around,
}

/// The reconciler, ready to run.
pub fn runner<K: ClusterKind>(
    client: Client,
    clusters: &Watch<K>,
    around: &Around,
    config: Config,
    reporting: Reporting,
) -> Runner<Clusters<K>> {
    let cache = clusters.cache();
    let of_namespace = select(cache, |cluster, provider| {
        cluster.namespace == provider.namespace
    });
    let of_owner = select(cache, owner::is_of);
    let all = select(cache, |_, _| true);
    let reconciler = Clusters {
        client,
        cache: cache.clone(),
        around: around.clone(),
    };
    let Around { watched, owners } = around;
    Runner::new(reconciler, clusters, Trigger::Intent, config, reporting)
        .watches(&watched.providers, Trigger::IntentAnd(shown), of_namespace)
        .watches(&watched.provider_classes, Trigger::Intent, all)
        .watches(owners, Trigger::Intent, of_owner)
}

/// The clusters that `wanted` says for another object.
fn select<K: ClusterKind>(
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
fn shown(provider: &Provider) -> u64 {
    let domains = provider
        .status
        .iter()
        .flat_map(|status| &status.failure_domains);
    let shown = domains.map(|domain| (&domain.name, &domain.labels, &domain.attributes.raw));
    fingerprint(&shown.collect::<Vec<_>>())
}

impl<K: ClusterKind> Reconciler for Clusters<K> {
    type Object = K;
    type Error = ApiError;
    const NAME: &'static str = K::NAME;

    async fn reconcile(&self, cluster: Arc<K>, now: Timestamp) -> Result<Next, ApiError> {
        let meta = cluster.meta();
        if meta.deletion_timestamp.is_some() || owner::is_managed_elsewhere(meta) {
            return Ok(Next::Wait);
        }
        let found = dereference::find(&self.around, &*cluster);
        status::publish(&self.client, &self.cache, &cluster, &found, now).await?;
        Ok(Next::Wait)
    }
}
