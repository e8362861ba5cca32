//! One rendered object and where it belongs.

use banlieue_schemas::{
    manifests::object::{ObjectId, PRUNE_DISABLED, SUBSTITUTE_DISABLED, clean, object_id},
    names::{MAX_SUBDOMAIN, shorten},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::RenderError;
use crate::tree::Scope;

/// What happens in the cluster to an object whose file is removed from git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The engine deletes it.
    Prune,
    /// The engine keeps it; its owner deletes it, or a person does.
    Keep,
}

/// One rendered object, its file and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The object as it is written.
    pub value: Value,
    /// What it is.
    pub id: ObjectId,
    /// Its file in the tree.
    pub path: String,
    /// The part of the tree that its file belongs to.
    pub scope: Scope,
    /// Keys from the top of the fleet to what it was rendered from.
    pub origin: Vec<String>,
}

impl Object {
    /// Folder of its file.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Where a renderer puts what it makes.
#[derive(Clone, Debug)]
pub struct Place {
    /// Folder in the tree.
    pub folder: String,
    /// The part of the tree.
    pub scope: Scope,
    /// Keys from the top of the fleet.
    pub origin: Vec<String>,
}

impl Place {
    /// A place.
    pub fn new(folder: impl Into<String>, scope: &Scope, origin: &[&str]) -> Self {
        Self {
            folder: folder.into(),
            scope: scope.clone(),
            origin: origin.iter().map(|&key| key.to_owned()).collect(),
        }
    }

    /// Puts an object here as `<kind>-<name>.yaml`, in a folder whose objects share a namespace.
    pub fn put(&self, value: Value, removal: Removal) -> Object {
        let id = object_id(&value);
        let file = file_name(&[&id.kind.to_lowercase(), &id.name]);
        self.put_id(id, &file, value, removal)
    }

    /// Puts an object here as `<kind>-<namespace>-<name>.yaml`, in a folder of several namespaces.
    pub fn put_namespaced(&self, value: Value, removal: Removal) -> Object {
        let id = object_id(&value);
        let kind = id.kind.to_lowercase();
        let file = match &id.namespace {
            Some(namespace) => file_name(&[&kind, namespace, &id.name]),
            None => file_name(&[&kind, &id.name]),
        };
        self.put_id(id, &file, value, removal)
    }

    /// Puts an object here under a file name of its own.
    pub fn put_as(&self, file: &str, value: Value, removal: Removal) -> Object {
        self.put_id(object_id(&value), file, value, removal)
    }

    fn put_id(&self, id: ObjectId, file: &str, value: Value, removal: Removal) -> Object {
        let mut value = clean(value);
        annotate(&mut value, removal);
        Object {
            id,
            value,
            path: format!("{}/{file}", self.folder),
            scope: self.scope.clone(),
            origin: self.origin.clone(),
        }
    }
}

/// Name of an object's file. A name of an object may have 253 characters, and a file 255 bytes.
fn file_name(parts: &[&str]) -> String {
    let parts: Vec<String> = parts.iter().map(|part| part.replace(':', "-")).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    format!("{}.yaml", shorten(&parts, MAX_SUBDOMAIN - ".yaml".len()))
}

/// The JSON of a typed object.
///
/// # Errors
/// A type that has no JSON form; none of ours.
pub fn to_value<T: Serialize>(what: &str, object: &T) -> Result<Value, RenderError> {
    serde_json::to_value(object).map_err(|source| RenderError::Encode {
        what: what.to_owned(),
        source,
    })
}

/// Metadata with a name, a namespace and labels.
pub fn metadata(name: &str, namespace: Option<&str>, labels: &[(&str, &str)]) -> Value {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), name.into());
    if let Some(namespace) = namespace {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
    if !labels.is_empty() {
        let labels = labels
            .iter()
            .map(|&(key, value)| (key.to_owned(), value.into()))
            .collect();
        metadata.insert("labels".to_owned(), Value::Object(labels));
    }
    Value::Object(metadata)
}

fn annotate(value: &mut Value, removal: Removal) {
    let mut wanted = Vec::new();
    if removal == Removal::Keep {
        wanted.extend(PRUNE_DISABLED);
    }
    if has_substitution(value) {
        wanted.push(SUBSTITUTE_DISABLED);
    }
    if wanted.is_empty() {
        return;
    }
    let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    let annotations = metadata
        .entry("annotations")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Some(annotations) = annotations.as_object_mut() {
        for (key, text) in wanted {
            annotations.entry(key).or_insert_with(|| text.into());
        }
    }
}

/// Whether Flux would try to replace something in the object.
pub fn has_substitution(value: &Value) -> bool {
    match value {
        Value::String(text) => mentions_variable(text),
        Value::Array(items) => items.iter().any(has_substitution),
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| mentions_variable(key) || has_substitution(value)),
        _ => false,
    }
}

/// Whether the text holds `${`. Most texts are short and hold no `$`: a plain walk is the cheapest.
fn mentions_variable(text: &str) -> bool {
    text.bytes().any(|byte| byte == b'$') && text.contains("${")
}

/// A value without the fields that equal those of another, at any depth.
pub fn without(value: &Value, defaults: &Value) -> Value {
    match (value, defaults) {
        (Value::Object(fields), Value::Object(defaults)) => {
            let kept = fields
                .iter()
                .filter(|(key, value)| defaults.get(*key) != Some(value));
            let kept = kept.map(|(key, value)| {
                let nested = defaults
                    .get(key)
                    .map_or_else(|| value.clone(), |d| without(value, d));
                (key.clone(), nested)
            });
            Value::Object(kept.collect())
        }
        _ => value.clone(),
    }
}
