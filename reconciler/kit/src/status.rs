//! Status, written whole by server-side apply on `/status`, and only when it differs.
//!
//! `lastTransitionTime` and the like are the caller's: a status that is computed again without
//! news must come out equal.

use std::sync::Arc;

use banlieue_schemas::managers::Manager;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::{Patch, PatchParams};
use kube::core::object::HasStatus;
use serde::Serialize;
use serde_json::{Value, json};

use crate::api;
use crate::apply::parsed;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::Kind;

/// What became of a status.
#[derive(Clone, Debug)]
pub enum Written<K> {
    /// It is stored now; this is the object with it.
    Written(Arc<K>),
    /// It is what was read: nothing was sent.
    Same,
}

impl<K> Written<K> {
    /// Whether anything was sent.
    pub fn is_written(&self) -> bool {
        matches!(self, Self::Written(_))
    }
}

/// Writes the status of an object of which `manager` writes all of it.
///
/// `object` is what `status` was computed from, as last written in this reconcile. If it changed
/// since, the answer is a conflict and nothing is written: a status that was computed from old
/// news never overwrites a newer one.
pub async fn write<K>(
    client: &Client,
    manager: &Manager,
    object: &K,
    status: &K::Status,
) -> Result<Written<K>, ApiError>
where
    K: Kind + HasStatus<Status: Serialize>,
{
    let meta = object.meta();
    let version = meta.resource_version.as_deref();
    send(client, manager, meta, version, object.status(), status).await
}

/// Writes that part of an object's status that `manager` writes, while others write other parts.
///
/// `read` and `wanted` hold that part and nothing else. What `manager` wrote before and `wanted`
/// leaves out goes away.
pub async fn write_part<K>(
    client: &Client,
    manager: &Manager,
    meta: &ObjectMeta,
    read: &K::Status,
    wanted: &K::Status,
) -> Result<Written<K>, ApiError>
where
    K: Kind + HasStatus<Status: Serialize>,
{
    send(client, manager, meta, None, Some(read), wanted).await
}

async fn send<K>(
    client: &Client,
    manager: &Manager,
    meta: &ObjectMeta,
    version: Option<&str>,
    read: Option<&K::Status>,
    wanted: &K::Status,
) -> Result<Written<K>, ApiError>
where
    K: Kind + HasStatus<Status: Serialize>,
{
    const ACTION: &str = "write the status of";
    let object = api::describe::<K>(meta);
    let json = |status: &K::Status| {
        serde_json::to_value(status)
            .map_err(|error| ApiError::other(ACTION, &object, ErrorKind::Internal, error))
    };
    let wanted = json(wanted)?;
    let read = read.map(json).transpose()?.unwrap_or_else(|| json!({}));
    if read == wanted {
        return Ok(Written::Same);
    }
    let document = document::<K>(meta, version, &wanted);
    let name = meta.name.as_deref().unwrap_or_default();
    let params = PatchParams::apply(&manager.to_string()).force();
    let answer = api::objects::<K>(client, meta.namespace.as_deref())
        .patch_status(name, &params, &Patch::Apply(&document))
        .await
        .map_err(|error| ApiError::new(ACTION, &object, error))?;
    Ok(Written::Written(parsed(answer, ACTION, &object)?))
}

fn document<K: Kind>(meta: &ObjectMeta, version: Option<&str>, status: &Value) -> Value {
    let mut metadata = json!({ "name": meta.name });
    let preconditions = [
        ("namespace", meta.namespace.as_deref()),
        ("uid", meta.uid.as_deref()),
        ("resourceVersion", version),
    ];
    for (field, value) in preconditions {
        if let Some(value) = value {
            metadata[field] = value.into();
        }
    }
    json!({
        "apiVersion": K::api_version(&()),
        "kind": K::kind(&()),
        "metadata": metadata,
        "status": status,
    })
}

#[cfg(test)]
mod tests;
