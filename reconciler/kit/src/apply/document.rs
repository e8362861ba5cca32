//! The JSON of an intent.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde_json::{Map, Value};

/// Metadata that only the API server writes.
const SERVER_METADATA: [&str; 7] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "uid",
];

/// The intent without what only the API server writes. A `resourceVersion` stays: it is a
/// precondition.
pub(super) fn intent(object: &impl Serialize) -> Result<Value, serde_json::Error> {
    let mut document = serde_json::to_value(object)?;
    if let Value::Object(fields) = &mut document {
        fields.remove("status");
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            for field in SERVER_METADATA {
                metadata.remove(field);
            }
        }
    }
    Ok(document)
}

/// Makes the document fit this very object only, not a later one of the same name.
pub(super) fn pin(document: &mut Value, live: &ObjectMeta) {
    let metadata = document.get_mut("metadata").and_then(Value::as_object_mut);
    if let (Some(metadata), Some(uid)) = (metadata, &live.uid) {
        metadata.insert("uid".to_owned(), uid.as_str().into());
    }
}

/// The fields of a document that a field manager comes to own.
pub(super) fn owned(document: &Value) -> Map<String, Value> {
    let mut fields = document.as_object().cloned().unwrap_or_default();
    fields.remove("apiVersion");
    fields.remove("kind");
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        for field in ["name", "namespace", "resourceVersion"] {
            metadata.remove(field);
        }
        if metadata.is_empty() {
            fields.remove("metadata");
        }
    }
    fields
}
