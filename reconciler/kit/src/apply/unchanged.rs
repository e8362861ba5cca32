//! Whether applying a document would change nothing, told from the live object alone.
//!
//! `metadata.managedFields` holds, for each manager, the set of fields that it applied, as a tree
//! (FieldsV1): `f:x` is the field `x`, `k:{…}` the list item with these keys, `v:…` the item of a
//! set, `.` the node itself, and a node without children is owned as a whole. An apply by the same
//! manager changes nothing if the set stays the same and so does every value in it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::document;
use crate::managed;

type Fields = Map<String, Value>;

/// Whether `manager` last applied exactly this document, and the live object still holds it.
pub(super) fn is_applied(document: &Value, live: &Value, manager: &str) -> bool {
    let version = document.get("apiVersion");
    let Some(fields) = applied_fields(live, manager, version) else {
        return false;
    };
    holds_object(&fields, &document::owned(document), live)
}

/// The one set of fields that the manager applied to the object itself.
fn applied_fields<'a>(
    live: &'a Value,
    manager: &str,
    version: Option<&Value>,
) -> Option<Cow<'a, Fields>> {
    let entries = live.pointer("/metadata/managedFields")?.as_array()?;
    let mut mine = entries.iter().filter(|entry| {
        let text = |field| entry.get(field).and_then(Value::as_str);
        text("manager") == Some(manager)
            && text("operation") == Some("Apply")
            && text("subresource").unwrap_or_default().is_empty()
    });
    let entry = mine.next()?;
    if mine.next().is_some() || entry.get("apiVersion") != version {
        return None;
    }
    managed::fields(entry.get("fieldsV1")?)
}

fn holds(fields: &Value, wanted: &Value, live: &Value) -> bool {
    let Some(fields) = fields.as_object() else {
        return false;
    };
    if fields.is_empty() {
        return wanted == live;
    }
    match wanted {
        Value::Object(wanted) => holds_object(fields, wanted, live),
        Value::Array(wanted) => live
            .as_array()
            .is_some_and(|live| holds_list(fields, wanted, live)),
        _ => false,
    }
}

fn holds_object(fields: &Fields, wanted: &Map<String, Value>, live: &Value) -> bool {
    let mut children = children(fields);
    children.len() == wanted.len()
        && children.all(|(path, fields)| {
            let Some(name) = path.strip_prefix("f:") else {
                return false;
            };
            match (wanted.get(name), live.get(name)) {
                (Some(wanted), Some(live)) => holds(fields, wanted, live),
                _ => false,
            }
        })
}

fn holds_list(fields: &Fields, wanted: &[Value], live: &[Value]) -> bool {
    if children(fields).count() != wanted.len() {
        return false;
    }
    let mut places = Vec::with_capacity(wanted.len());
    for (path, fields) in children(fields) {
        let Some(meant) = Meant::by(path) else {
            return false;
        };
        let (Some(in_wanted), Some(in_live)) = (meant.place(wanted), meant.place(live)) else {
            return false;
        };
        if !holds(fields, &wanted[in_wanted], &live[in_live]) {
            return false;
        }
        places.push((in_wanted, in_live));
    }
    // An apply brings its items into its order.
    places.sort_unstable();
    places.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1)
}

/// Which item of a list a path element means.
enum Meant {
    Equal(Value),
    WithKeys(Map<String, Value>),
}

impl Meant {
    fn by(path: &str) -> Option<Self> {
        if let Some(value) = path.strip_prefix("v:") {
            return serde_json::from_str(value).ok().map(Self::Equal);
        }
        let keys = path.strip_prefix("k:")?;
        serde_json::from_str(keys).ok().map(Self::WithKeys)
    }

    fn place(&self, list: &[Value]) -> Option<usize> {
        list.iter().position(|item| match self {
            Self::Equal(value) => item == value,
            Self::WithKeys(keys) => keys.iter().all(|(key, value)| item.get(key) == Some(value)),
        })
    }
}

fn children(fields: &Fields) -> impl ExactSizeIterator<Item = (&String, &Value)> {
    let children: Vec<_> = fields.iter().filter(|(path, _)| *path != ".").collect();
    children.into_iter()
}

#[cfg(test)]
mod tests;
