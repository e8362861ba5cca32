//! Finalizers, added and removed by a JSON patch that holds only for what was read.
//!
//! The patch tests the object's UID and the state of its finalizers: it can neither lose another
//! owner's finalizer nor touch a later object of the same name. If the tests fail the answer is a
//! conflict, and the next look at the object decides anew.

use std::sync::Arc;

use banlieue_schemas::managers::Manager;
use json_patch::PatchOperation;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use serde_json::{Value, json};

use crate::api;
use crate::apply::parsed;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::Kind;
use crate::patch::{failed, insert, remove as removal, same_object, send, test};

/// What became of a finalizer that an object should have.
#[derive(Clone, Debug)]
pub enum Added<K> {
    /// It was there: nothing was sent.
    Present,
    /// It is there now; this is the object with it.
    Added(Arc<K>),
    /// The object is being deleted: no finalizer may be added any more, and nothing that needs one
    /// may be made.
    Terminating,
}

/// What became of a finalizer that an object should no longer have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// It is gone now.
    Removed,
    /// It was not there, or the object is gone: nothing was done.
    Absent,
}

/// Whether the object has the finalizer.
pub fn has(meta: &ObjectMeta, finalizer: &str) -> bool {
    position(meta, finalizer).is_some()
}

/// Adds a finalizer to the object with this metadata, as last read.
pub async fn add<K: Kind>(
    client: &Client,
    manager: &Manager,
    meta: &ObjectMeta,
    finalizer: &str,
) -> Result<Added<K>, ApiError> {
    const ACTION: &str = "add the finalizer of";
    if has(meta, finalizer) {
        return Ok(Added::Present);
    }
    if meta.deletion_timestamp.is_some() {
        return Ok(Added::Terminating);
    }
    let object = api::describe::<K>(meta);
    let answer = send::<K>(client, manager, meta, adding(meta, finalizer))
        .await
        .map_err(|error| failed(ACTION, &object, error))?;
    Ok(Added::Added(parsed(answer, ACTION, &object)?))
}

/// Removes a finalizer from the object with this metadata, as last read. Works for objects that do
/// not parse.
pub async fn remove<K: Kind>(
    client: &Client,
    manager: &Manager,
    meta: &ObjectMeta,
    finalizer: &str,
) -> Result<Removed, ApiError> {
    let Some(position) = position(meta, finalizer) else {
        return Ok(Removed::Absent);
    };
    let patch = removing(meta, finalizer, position);
    match send::<K>(client, manager, meta, patch).await {
        Ok(_) => Ok(Removed::Removed),
        Err(error) if ErrorKind::from(&error) == ErrorKind::NotFound => Ok(Removed::Absent),
        Err(error) => {
            let object = api::describe::<K>(meta);
            Err(failed("remove the finalizer of", &object, error))
        }
    }
}

fn position(meta: &ObjectMeta, finalizer: &str) -> Option<usize> {
    let mut finalizers = meta.finalizers.iter().flatten();
    finalizers.position(|name| name == finalizer)
}

fn adding(meta: &ObjectMeta, finalizer: &str) -> Vec<PatchOperation> {
    let list = ["metadata", "finalizers"];
    match meta.finalizers.as_deref() {
        None | Some([]) => vec![
            same_object(meta),
            test(list, Value::Null),
            insert(list, json!([finalizer])),
        ],
        Some(others) => vec![
            same_object(meta),
            test(list, json!(others)),
            insert(["metadata", "finalizers", "-"], json!(finalizer)),
        ],
    }
}

fn removing(meta: &ObjectMeta, finalizer: &str, position: usize) -> Vec<PatchOperation> {
    let position = position.to_string();
    let path = ["metadata", "finalizers", &position];
    vec![
        same_object(meta),
        test(path, json!(finalizer)),
        removal(path),
    ]
}

#[cfg(test)]
mod tests;
