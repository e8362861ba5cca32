//! Conditions of any kind of ours.

use std::fmt::Debug;

use anyhow::Result;
use kube::{Api, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::wait::until;

/// Waits until the object's condition `Ready` is true for what its spec says now.
///
/// `api` must be of one namespace for namespaced kinds.
pub async fn ready<K>(api: &Api<K>, name: &str) -> Result<K>
where
    K: Resource + Clone + Debug + DeserializeOwned + Serialize + Send + 'static,
{
    until(api, name, "to be ready", is_ready).await
}

/// Whether the condition `Ready` of the object is true for what its spec says now.
pub fn is_ready<K: Resource + Serialize>(object: &K) -> bool {
    let generation = object.meta().generation;
    let value = serde_json::to_value(object).unwrap_or_default();
    let conditions = value["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|condition| {
        condition["type"] == "Ready"
            && condition["status"] == "True"
            && condition["observedGeneration"].as_i64() == generation
    })
}
