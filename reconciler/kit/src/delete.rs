//! Deletion of one very object, never of a later one of the same name.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::{DeleteParams, Preconditions, PropagationPolicy};

use crate::api;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::Kind;

/// What has to hold for the deletion to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// It is still the same object, by UID.
    SameObject,
    /// It is the same object and nothing changed since it was read.
    Unchanged,
}

/// What became of an object that should go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// Deletion was asked for; the object goes once its finalizers do.
    Requested,
    /// Deletion was under way: nothing was sent.
    Terminating,
    /// There is no such object.
    Gone,
}

/// Deletes the object with this metadata, as last read; dependents go in the background.
///
/// The answer is a conflict if the precondition does not hold. Doing it twice is harmless.
pub async fn delete<K: Kind>(
    client: &Client,
    meta: &ObjectMeta,
    precondition: Precondition,
) -> Result<Deleted, ApiError> {
    const ACTION: &str = "delete";
    let object = api::describe::<K>(meta);
    let (Some(name), Some(uid)) = (&meta.name, &meta.uid) else {
        let reason = "only an object that was read can be deleted: it has no name or no UID";
        return Err(ApiError::other(ACTION, object, ErrorKind::Internal, reason));
    };
    if meta.deletion_timestamp.is_some() {
        return Ok(Deleted::Terminating);
    }
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            uid: Some(uid.clone()),
            resource_version: match precondition {
                Precondition::SameObject => None,
                Precondition::Unchanged => meta.resource_version.clone(),
            },
        }),
        propagation_policy: Some(PropagationPolicy::Background),
        ..DeleteParams::default()
    };
    let answer = api::objects::<K>(client, meta.namespace.as_deref())
        .delete(name, &params)
        .await;
    match answer {
        Ok(_) => Ok(Deleted::Requested),
        Err(error) if ErrorKind::from(&error) == ErrorKind::NotFound => Ok(Deleted::Gone),
        Err(error) => Err(ApiError::new(ACTION, object, error)),
    }
}

#[cfg(test)]
mod tests;
