//! The whole status.

use banlieue_core::cluster::{Input, status};
use banlieue_kit::cache::Cache;
use banlieue_kit::errors::ApiError;
use banlieue_kit::status::{Written, write};
use banlieue_kit::{Client, Timestamp};
use banlieue_schemas::infrastructure::InfraCluster;
use banlieue_schemas::managers::Manager;

use super::ClusterKind;
use super::dereference::Found;

pub(super) async fn publish<K: ClusterKind>(
    client: &Client,
    cache: &Cache<K>,
    cluster: &K,
    found: &Found,
    now: Timestamp,
) -> Result<(), ApiError> {
    let wanted = status(
        &Input {
            kind: K::KIND,
            backend: K::BACKEND,
            spec: InfraCluster::spec(cluster),
            status: InfraCluster::status(cluster),
            generation: cluster.meta().generation,
            paused: found.paused,
            sites: &found.sites.views(),
        },
        now,
    );
    let written = write(client, &Manager::Controller, cluster, &wanted).await?;
    if let Written::Written(cluster) = written {
        cache.wrote(&cluster);
    }
    Ok(())
}
