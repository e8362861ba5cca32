//! What no manifest may hold.

use banlieue_schemas::manifests::object::SUBSTITUTE_DISABLED;
use k8s_openapi::ByteString;
use serde::Deserialize;
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
    losses(object, &Path::Root, faults);
    secret(object, faults);
    binary(object, faults);
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

/// What is lost on the way to the API server, at any depth.
fn losses(value: &Value, path: &Path<'_>, faults: &mut Vec<Fault>) {
    match value {
        Value::Null => faults.push(Fault::new(
            &codes::SERVER_FIELD,
            path,
            "is null, which the API server drops",
            "remove it, or write a value",
        )),
        Value::String(text) => faults.extend(lost(text, path)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                losses(item, &path.index(index), faults);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                faults.extend(lost(key, path));
                losses(value, &path.key(key), faults);
            }
        }
        _ => {}
    }
}

/// Both engines read, change and write manifests with kustomize.
fn lost(text: &str, path: &Path<'_>) -> Option<Fault> {
    let is_lost = |c: &char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    let found = u32::from(text.chars().find(is_lost)?);
    let message = format!("holds the character U+{found:04X}, which kustomize does not keep");
    let hint = "remove it, or encode the text, for example in base64";
    Some(Fault::new(&codes::CHARACTER, path, message, hint))
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

/// Bytes in a ConfigMap. What is encrypted is no base64, and is in a Secret only.
fn binary(object: &Value, faults: &mut Vec<Fault>) {
    if (group(object), kind(object)) != ("", "ConfigMap") {
        return;
    }
    let values = object["binaryData"].as_object().into_iter().flatten();
    for (key, value) in values {
        if !is_base64(value) {
            faults.push(Fault::new(
                &codes::BINARY,
                &Path::Root.key("binaryData").key(key),
                "is not base64 as the API server writes it",
                "encode the bytes with `base64 -w0`, or write text under `data`",
            ));
        }
    }
}

/// Whether this is what an encoder makes: padded, on one line, with no bits left over.
fn is_base64(value: &Value) -> bool {
    value.is_string() && ByteString::deserialize(value).is_ok()
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
