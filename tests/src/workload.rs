//! Deployments and Pods, as tests look at them.

use std::fmt::Debug;

use anyhow::{Context, Result};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ListParams, PostParams};
use kube::{Api, Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::wait::until;

/// Creates an object from its JSON, which need not say its kind.
pub async fn create<K>(client: &Client, namespace: &str, object: Value) -> Result<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + DeserializeOwned
        + Serialize,
{
    let object = serde_json::from_value(object)?;
    let api: Api<K> = Api::namespaced(client.clone(), namespace);
    Ok(api.create(&PostParams::default(), &object).await?)
}

/// Waits until all replicas of a Deployment are available, and returns its Pods.
pub async fn available(client: &Client, namespace: &str, name: &str) -> Result<Vec<Pod>> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
    let deployment = until(&deployments, name, "to be available", is_available).await?;
    let selector = deployment.spec.and_then(|spec| spec.selector.match_labels);
    let selector = selector.context("no labels to select Pods by")?;
    let terms: Vec<String> = selector
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
    let selected = ListParams::default().labels(&terms.join(","));
    Ok(pods.list(&selected).await?.items)
}

/// Whether the newest state of `deployment` was rolled out, and every replica of it
/// is available.
fn is_available(deployment: &Deployment) -> bool {
    let wanted = deployment.spec.as_ref().and_then(|spec| spec.replicas);
    deployment.status.as_ref().is_some_and(|status| {
        status.observed_generation == deployment.metadata.generation
            && status.updated_replicas == wanted
            && status.replicas == wanted
            && status.available_replicas == wanted
    })
}

/// Whether a Pod is ready.
pub fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|status| &status.conditions);
    conditions
        .flatten()
        .any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// Restarts of all containers of a Pod.
pub fn restarts(pod: &Pod) -> i32 {
    let statuses = pod.status.iter().flat_map(|it| &it.container_statuses);
    statuses.flatten().map(|status| status.restart_count).sum()
}
