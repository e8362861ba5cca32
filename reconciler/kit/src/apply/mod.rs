//! Typed server-side apply.
//!
//! An apply states the whole intent of one field manager for one object: what the manager applied
//! before and leaves out now is taken away. It is forced, because each manager owns what it
//! applies, and doing it twice is harmless.

mod document;
mod unchanged;
mod untyped;

use std::sync::Arc;

use banlieue_schemas::managers::Manager;
use kube::Client;
use kube::api::{Patch, PatchParams};
use serde::Serialize;

use crate::api;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::{Guarded, Kind};

pub use untyped::apply_untyped;

/// What an apply did.
#[derive(Clone, Debug)]
pub enum Applied<K> {
    /// The object is new or differs from the live one that was given. Without one this is the
    /// answer even if nothing changed.
    Changed(Arc<K>),
    /// The object is as it was.
    Unchanged(Arc<K>),
}

impl<K> Applied<K> {
    /// The object as stored now.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Self::Changed(object) | Self::Unchanged(object) => object,
        }
    }

    /// Whether anything changed.
    pub fn changed(&self) -> bool {
        matches!(self, Self::Changed(_))
    }
}

/// Applies `intent` as `manager`.
///
/// `status`, `managedFields` and what else the API server fills in are left out. `live` is the
/// object as last heard, if it exists:
///
/// - Its UID is sent along, so that an object that was deleted meanwhile is not made again: the
///   answer is then a conflict.
/// - If its managed fields show that `manager` last applied exactly the fields of `intent`, and it
///   still holds the same values in the same order, nothing is sent: the API server would find
///   nothing to change. It needs a cache that keeps managed fields and whose changes trigger the
///   caller, which then covers old news: whoever changed the object meanwhile causes another look.
///
/// The rule errs on the side of sending. An intent that should cost nothing spells values as the
/// server prints them (`500m`, not `0.5`) and names the defaults of keys of lists (`protocol` of a
/// port) and of what is owned as a whole (`apiVersion` of a `fieldRef`).
pub async fn apply<K>(
    client: &Client,
    manager: &Manager,
    intent: &K,
    live: Option<&Arc<K>>,
) -> Result<Applied<K>, ApiError>
where
    K: Kind + Serialize,
{
    let meta = intent.meta();
    let object = api::describe::<K>(meta);
    let internal =
        |source: serde_json::Error| ApiError::other("apply", &object, ErrorKind::Internal, source);
    let mut document = document::intent(intent).map_err(internal)?;
    let manager = manager.to_string();
    if let Some(live) = live {
        let stored = serde_json::to_value(&**live).map_err(internal)?;
        if unchanged::is_applied(&document, &stored, &manager) {
            return Ok(Applied::Unchanged(Arc::clone(live)));
        }
        document::pin(&mut document, live.meta());
    }
    let name = meta.name.as_deref().unwrap_or_default();
    let params = PatchParams::apply(&manager).force();
    let answer = api::objects::<K>(client, meta.namespace.as_deref())
        .patch(name, &params, &Patch::Apply(&document))
        .await
        .map_err(|error| ApiError::new("apply", &object, error))?;
    let answer = parsed(answer, "apply", &object)?;
    let version = |object: &K| object.meta().resource_version.clone();
    let same = live.is_some_and(|live| version(live) == version(&answer));
    Ok(if same {
        Applied::Unchanged(answer)
    } else {
        Applied::Changed(answer)
    })
}

/// The object of an answer, which has to parse.
pub(crate) fn parsed<K: Kind>(
    answer: Guarded<K>,
    action: &'static str,
    object: &str,
) -> Result<Arc<K>, ApiError> {
    match answer {
        Guarded::Valid(object) => Ok(object),
        Guarded::Invalid(invalid) => {
            let invalid = (*invalid).clone();
            Err(ApiError::other(action, object, ErrorKind::Invalid, invalid))
        }
    }
}

#[cfg(test)]
mod tests;
