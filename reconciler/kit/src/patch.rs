//! JSON patches that hold only for the object that was read.

use banlieue_schemas::managers::Manager;
use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation, RemoveOperation, TestOperation};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::api;
use crate::errors::{ApiError, ErrorKind};
use crate::guard::{Guarded, Kind};

pub(crate) fn same_object(meta: &ObjectMeta) -> PatchOperation {
    test(["metadata", "uid"], json!(meta.uid))
}

pub(crate) fn test<const N: usize>(path: [&str; N], value: Value) -> PatchOperation {
    let path = PointerBuf::from_tokens(path);
    PatchOperation::Test(TestOperation { path, value })
}

pub(crate) fn remove<const N: usize>(path: [&str; N]) -> PatchOperation {
    let path = PointerBuf::from_tokens(path);
    PatchOperation::Remove(RemoveOperation { path })
}

pub(crate) fn insert<const N: usize>(path: [&str; N], value: Value) -> PatchOperation {
    let path = PointerBuf::from_tokens(path);
    PatchOperation::Add(AddOperation { path, value })
}

pub(crate) async fn send<K: Kind>(
    client: &Client,
    manager: &Manager,
    meta: &ObjectMeta,
    patch: Vec<PatchOperation>,
) -> Result<Guarded<K>, kube::Error> {
    let name = meta.name.as_deref().unwrap_or_default();
    let params = PatchParams {
        field_manager: Some(manager.to_string()),
        ..PatchParams::default()
    };
    let patch = Patch::Json::<()>(json_patch::Patch(patch));
    api::objects::<K>(client, meta.namespace.as_deref())
        .patch(name, &params, &patch)
        .await
}

/// The API server answers a failed test with 422, as it does an object that breaks its schema;
/// only the latter comes with causes.
pub(crate) fn failed(action: &'static str, object: &str, error: kube::Error) -> ApiError {
    let no_causes = match &error {
        kube::Error::Api(status) => {
            let details = status.details.as_ref();
            details.is_none_or(|details| details.causes.is_empty())
        }
        _ => false,
    };
    let error = ApiError::new(action, object, error);
    if error.kind() == ErrorKind::Invalid && no_causes {
        error.with_kind(ErrorKind::Conflict)
    } else {
        error
    }
}
