//! What managers applied to an object, kept small.
//!
//! A set of fields (FieldsV1) is a tree of many small maps, which take several KiB, and is looked
//! at only when the object is applied. So a cache keeps its text, as one JSON string in the same
//! place.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry, ObjectMeta};
use serde_json::{Map, Value};

/// Leaves the entries of server-side applies to the object itself, each with its set as text.
pub(crate) fn pack(meta: &mut ObjectMeta) {
    let Some(entries) = &mut meta.managed_fields else {
        return;
    };
    entries.retain(is_applied);
    entries.shrink_to_fit();
    for FieldsV1(set) in entries.iter_mut().filter_map(|it| it.fields_v1.as_mut()) {
        if set.is_object() {
            *set = Value::String(set.to_string());
        }
    }
}

/// The set of fields of an entry, as text or not. `None` if it is neither.
pub(crate) fn fields(set: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match set {
        Value::Object(fields) => Some(Cow::Borrowed(fields)),
        Value::String(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        _ => None,
    }
}

/// Whether the entry is one of a server-side apply to the object itself.
fn is_applied(entry: &ManagedFieldsEntry) -> bool {
    entry.operation.as_deref() == Some("Apply") && entry.subresource.is_none()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_set_of_fields_is_kept_as_text_and_read_back() {
        let set = json!({"f:spec": {"f:list": {"k:{\"name\":\"a\"}": {".": {}}}}});
        let entry = |mut entry: Value| {
            entry["manager"] = json!("m");
            entry["fieldsV1"] = set.clone();
            entry
        };
        let mut meta: ObjectMeta = serde_json::from_value(json!({"managedFields": [
            entry(json!({"operation": "Apply"})),
            entry(json!({"operation": "Apply", "subresource": "status"})),
            entry(json!({"operation": "Update"})),
        ]}))
        .unwrap();
        pack(&mut meta);
        pack(&mut meta);
        let entries = meta.managed_fields.unwrap();
        assert_eq!(entries.len(), 1);
        let FieldsV1(kept) = entries[0].fields_v1.as_ref().unwrap();
        assert!(kept.is_string());
        assert_eq!(fields(kept).unwrap().as_ref(), set.as_object().unwrap());
        assert_eq!(fields(&set).unwrap().as_ref(), set.as_object().unwrap());
    }

    #[test]
    fn what_is_no_set_of_fields_is_none() {
        for set in [json!("no JSON"), json!("[]"), json!(1), json!(null)] {
            assert!(fields(&set).is_none(), "{set}");
        }
    }
}
