//! Labels, wherever an object holds them, and annotations.

use banlieue_schemas::names::{MAX_LABEL, check_subdomain};
use serde_json::{Map, Value};

use super::{group, kind};
use crate::{
    check::{codes, finding::Fault},
    diagnostic::shown,
    load::node::Path,
};

/// Bytes of all annotations of an object, keys and values.
const ANNOTATIONS_MAX: usize = 256 * 1024;

pub(super) fn check(object: &Value, faults: &mut Vec<Fault>) {
    let root = Path::Root;
    let metadata = root.key("metadata");
    if (group(object), kind(object)) == ("apiextensions.k8s.io", "CustomResourceDefinition") {
        // A CRD speaks of labels in its schema; it holds some in its metadata only.
        within(&object["metadata"], &metadata, faults);
    } else {
        within(object, &root, faults);
    }
    annotations(&object["metadata"]["annotations"], &metadata, faults);
}

/// Labels and selectors at any depth: those of machines are in the templates of their owners.
fn within(value: &Value, path: &Path<'_>, faults: &mut Vec<Fault>) {
    match value {
        Value::Object(fields) => {
            let under_metadata = matches!(path, Path::Key(_, "metadata"));
            for (key, value) in fields {
                let here = path.key(key);
                match value {
                    Value::Object(labels)
                        if key == "matchLabels" || (key == "labels" && under_metadata) =>
                    {
                        map(labels, &here, faults);
                    }
                    Value::Object(_) | Value::Array(_) => within(value, &here, faults),
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                within(item, &path.index(index), faults);
            }
        }
        _ => {}
    }
}

fn map(labels: &Map<String, Value>, path: &Path<'_>, faults: &mut Vec<Fault>) {
    for (key, value) in labels {
        let reason = match value {
            Value::String(value) => reason(key, value),
            _ => Some("the value is no text".to_owned()),
        };
        if let Some(reason) = reason {
            faults.push(Fault::new(
                &codes::LABEL,
                &path.key(key),
                format!("is not accepted: {reason}"),
                HINT,
            ));
        }
    }
}

/// What a label may be.
pub const HINT: &str =
    "use at most 63 letters, digits, `-`, `_` and `.`, starting and ending with a letter or digit";

/// Why a label is not accepted.
pub fn reason(key: &str, value: &str) -> Option<String> {
    key_reason(key).or_else(|| {
        (!value.is_empty())
            .then(|| word_reason(value))
            .flatten()
            .map(|reason| format!("the value {} {reason}", shown(value)))
    })
}

fn key_reason(key: &str) -> Option<String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let prefix = prefix
        .and_then(|prefix| check_subdomain(prefix).err())
        .map(|error| format!("the part of the key before `/` {error}"));
    prefix.or_else(|| word_reason(name).map(|reason| format!("the key {} {reason}", shown(name))))
}

fn word_reason(word: &str) -> Option<String> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let ends = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = word.as_bytes();
    if bytes.is_empty() {
        Some("is empty".to_owned())
    } else if bytes.len() > MAX_LABEL {
        Some(format!("has {} characters", bytes.len()))
    } else if !bytes.iter().copied().all(inner) {
        Some("has a character that is not allowed".to_owned())
    } else if !ends(bytes.first()) || !ends(bytes.last()) {
        Some("does not start and end with a letter or digit".to_owned())
    } else {
        None
    }
}

fn annotations(annotations: &Value, metadata: &Path<'_>, faults: &mut Vec<Fault>) {
    let path = metadata.key("annotations");
    let mut bytes = 0;
    for (key, value) in annotations.as_object().into_iter().flatten() {
        let reason = match value {
            Value::String(text) => {
                bytes += key.len() + text.len();
                // Unlike those of labels, prefixes are compared in lower case.
                key_reason(&key.to_lowercase())
            }
            _ => Some("the value is no text".to_owned()),
        };
        if let Some(reason) = reason {
            faults.push(Fault::new(
                &codes::ANNOTATION,
                &path.key(key),
                format!("is not accepted: {reason}"),
                "put the value in quotes; the key is as for labels",
            ));
        }
    }
    if bytes > ANNOTATIONS_MAX {
        faults.push(Fault::new(
            &codes::ANNOTATION,
            &path,
            format!("have {bytes} bytes together, and at most {ANNOTATIONS_MAX} are accepted"),
            "move the text into a ConfigMap",
        ));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::reason;

    #[test]
    fn labels_are_accepted_as_by_the_server() {
        let long = "x".repeat(63);
        for (key, value) in [
            ("a", ""),
            ("example.com/A_b.c", "x.Y-z_0"),
            (long.as_str(), long.as_str()),
        ] {
            assert_eq!(reason(key, value), None, "{key}: {value}");
        }
        let longer = "x".repeat(64);
        for (key, value) in [
            ("", "v"),
            ("/a", "v"),
            ("a/", "v"),
            ("a/b/c", "v"),
            ("Example.com/a", "v"),
            ("-a", "v"),
            ("a", "v-"),
            ("a", "v w"),
            ("a", "é"),
            (longer.as_str(), "v"),
            ("a", longer.as_str()),
        ] {
            assert!(reason(key, value).is_some(), "{key}: {value}");
        }
    }
}
