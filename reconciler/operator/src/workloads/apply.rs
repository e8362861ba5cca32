//! Brings the objects of a process to what they should be.
//!
//! Identity and rights come first, then what a former class or namespace left goes, then the
//! process comes: so it starts with its rights, and only after its predecessor was told to end.

use std::collections::BTreeSet;
use std::sync::Arc;

use banlieue_core::workloads;
use banlieue_kit::apply;
use banlieue_kit::cache::Cache;
use banlieue_kit::errors::ApiError;
use banlieue_kit::prune::prune;
use banlieue_kit::{Client, Kind};
use banlieue_schemas::managers::Manager;
use banlieue_schemas::manifests::ObjectId;
use banlieue_schemas::manifests::provider_workload::ProviderWorkload;
use banlieue_schemas::platform::Provider;
use kube::Resource;
use serde::Serialize;

use super::WorkloadError;
use super::dereference::{Caches, existing, id};

/// Applies what is wanted and removes what it supersedes. Sends nothing for what is as it should
/// be.
pub async fn apply(
    client: &Client,
    caches: &Caches,
    provider: &Provider,
    workload: &ProviderWorkload,
) -> Result<(), WorkloadError> {
    // Without `..`, so that a new kind of object does not compile until it is applied.
    let ProviderWorkload {
        service_account,
        lease,
        roles,
        role_bindings,
        cluster_role_binding,
        deployment,
    } = workload;
    let wanted = workloads::wanted(workload)?;
    one(client, &caches.service_accounts, service_account).await?;
    one(client, &caches.leases, lease).await?;
    for role in roles {
        one(client, &caches.roles, role).await?;
    }
    for binding in role_bindings {
        one(client, &caches.role_bindings, binding).await?;
    }
    one(client, &caches.cluster_role_bindings, cluster_role_binding).await?;
    let superseded = workloads::superseded(provider, &wanted, &existing(caches, provider));
    remove(client, caches, &superseded.into_iter().collect()).await?;
    if let Some(deployment) = deployment {
        one(client, &caches.deployments, deployment).await?;
    }
    Ok(())
}

async fn one<K: Kind + Serialize>(
    client: &Client,
    cache: &Cache<K>,
    intent: &K,
) -> Result<(), ApiError> {
    let meta = intent.meta();
    let name = meta.name.as_deref().unwrap_or_default();
    let live: Option<Arc<K>> = cache.get(meta.namespace.as_deref(), name);
    let applied = apply::apply(client, &Manager::Operator, intent, live.as_ref()).await?;
    if applied.changed() {
        cache.wrote(applied.object());
    }
    Ok(())
}

/// The process first, its rights last.
async fn remove(
    client: &Client,
    caches: &Caches,
    superseded: &BTreeSet<ObjectId>,
) -> Result<(), ApiError> {
    if superseded.is_empty() {
        return Ok(());
    }
    these(client, &caches.deployments, superseded).await?;
    these(client, &caches.leases, superseded).await?;
    these(client, &caches.cluster_role_bindings, superseded).await?;
    these(client, &caches.role_bindings, superseded).await?;
    these(client, &caches.roles, superseded).await?;
    these(client, &caches.service_accounts, superseded).await
}

async fn these<K: Kind>(
    client: &Client,
    cache: &Cache<K>,
    superseded: &BTreeSet<ObjectId>,
) -> Result<(), ApiError> {
    let present = cache.all().into_iter();
    let mut present: Vec<_> = present
        .map(|object| object.meta().clone())
        .filter(|meta| superseded.contains(&id::<K>(meta)))
        .collect();
    present.sort_by_cached_key(id::<K>);
    prune::<K>(client, present, |_| false).await?;
    Ok(())
}
