//! What no manifest may hold.

use banlieue_schemas::manifests::object::SUBSTITUTE_DISABLED;
use serde_json::Value;

use super::{group, kind};
use crate::{
    check::{codes, finding::Fault},
    load::node::Path,
    render::object::has_substitution,
};

/// Fields of `metadata` that the server writes.
const SERVER_FIELDS: [&str; 6] = [
    "creationTimestamp",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
];
/// How SOPS starts every value that it encrypts.
const SOPS_VALUE: &str = "ENC[";

pub(super) fn check(object: &Value, faults: &mut Vec<Fault>) {
    server_fields(object, faults);
    nulls(object, &Path::Root, faults);
    secret(object, faults);
    substitution(object, faults);
}

fn server_fields(object: &Value, faults: &mut Vec<Fault>) {
    let root = Path::Root;
    let metadata = root.key("metadata");
    let status = [(&root, "status")].into_iter();
    for (parent, field) in status.chain(SERVER_FIELDS.map(|field| (&metadata, field))) {
        let holder = match parent {
            Path::Root => object,
            _ => &object["metadata"],
        };
        if holder.get(field).is_some() {
            faults.push(Fault::new(
                &codes::SERVER_FIELD,
                &parent.key(field),
                "is written by the API server only",
                "remove it",
            ));
        }
    }
}

fn nulls(value: &Value, path: &Path<'_>, faults: &mut Vec<Fault>) {
    match value {
        Value::Null => faults.push(Fault::new(
            &codes::SERVER_FIELD,
            path,
            "is null, which the API server drops",
            "remove it, or write a value",
        )),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                nulls(item, &path.index(index), faults);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                nulls(value, &path.key(key), faults);
            }
        }
        _ => {}
    }
}

fn secret(object: &Value, faults: &mut Vec<Fault>) {
    if (group(object), kind(object)) != ("", "Secret") {
        return;
    }
    let encrypted = object.get("sops").is_some();
    for field in ["data", "stringData"] {
        let mut values = object[field].as_object().into_iter().flatten();
        let clear = values.find(|(_, value)| {
            let is_encrypted = |text: &str| encrypted && text.starts_with(SOPS_VALUE);
            !value.as_str().is_some_and(is_encrypted)
        });
        if let Some((key, _)) = clear {
            faults.push(Fault::new(
                &codes::CLEAR_SECRET,
                &Path::Root.key(field).key(key),
                "would be committed to git in clear text",
                "refer to a Secret that exists by other means, or encrypt it with SOPS",
            ));
        }
    }
}

fn substitution(object: &Value, faults: &mut Vec<Fault>) {
    let (key, wanted) = SUBSTITUTE_DISABLED;
    if has_substitution(object) && object["metadata"]["annotations"][key] != wanted {
        faults.push(Fault::new(
            &codes::SUBSTITUTION,
            &Path::Root.key("metadata").key("annotations"),
            "let Flux replace the `${...}` in the object",
            format!("write `{key}: {wanted}`, or leave the annotation out"),
        ));
    }
}
