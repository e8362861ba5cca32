//! Infrastructure clusters: the failure domains of their Providers, as Cluster API reads them.
//!
//! One reconciler for the kinds of all backends. It makes nothing and holds nothing, so there is no
//! finalizer and no cleanup.

mod dereference;
mod kinds;
mod owner;
mod status;
mod triggers;

use std::sync::Arc;

use banlieue_kit::cache::{Cache, Watch};
use banlieue_kit::errors::ApiError;
use banlieue_kit::runner::{Config, Next, Reconciler, Reporting, Runner};
use banlieue_kit::{Client, Timestamp};

use crate::watched::Watched;
pub use kinds::ClusterKind;
pub use owner::Owner;

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
    let reconciler = Clusters {
        client,
        cache: clusters.cache().clone(),
        around: around.clone(),
    };
    triggers::runner(reconciler, clusters, config, reporting)
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

#[cfg(test)]
mod tests;
