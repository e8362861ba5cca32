//! What all rendered objects have in common: identity, labels, and the form an API server keeps.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// Label with the name of the application.
pub const NAME_LABEL: &str = "app.kubernetes.io/name";
/// Label with the part of the application.
pub const COMPONENT_LABEL: &str = "app.kubernetes.io/component";
/// Value of [`NAME_LABEL`] on everything that we render.
pub const APPLICATION: &str = "banlieue";

/// Annotations by which Flux and Argo CD leave an object alone that vanished from git.
pub const PRUNE_DISABLED: [(&str, &str); 2] = [
    ("argocd.argoproj.io/sync-options", "Prune=false"),
    ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
];

/// Annotation by which Flux leaves `${NAME}` in an object alone.
pub const SUBSTITUTE_DISABLED: (&str, &str) =
    ("kustomize.toolkit.fluxcd.io/substitute", "disabled");

/// The fields of `metadata` that no manifest may hold.
const SET_BY_SERVER: [&str; 5] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
];

/// Integers up to this one, 2^53, have one float each.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// What names one object in a cluster, whatever its version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectId {
    /// API group, empty for the core group.
    pub group: String,
    /// Kind, such as `Provider`.
    pub kind: String,
    /// Namespace; `None` for a cluster-scoped object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " {namespace}/{}", self.name),
            None => write!(f, " {}", self.name),
        }
    }
}

/// Identity of a Kubernetes object. What the value lacks is empty.
pub fn object_id(object: &Value) -> ObjectId {
    let top = |key| object.get(key).and_then(Value::as_str);
    let metadata = |key| object.get("metadata")?.get(key)?.as_str();
    let group = top("apiVersion").and_then(|version| version.split_once('/'));
    ObjectId {
        group: group.map_or("", |(group, _)| group).to_owned(),
        kind: top("kind").unwrap_or_default().to_owned(),
        namespace: metadata("namespace").map(str::to_owned),
        name: metadata("name").unwrap_or_default().to_owned(),
    }
}

/// Removes what no manifest may hold, and writes the rest the way a server gives it back.
///
/// Goes: every null map entry, `status`, and the fields of `metadata` that the server sets. An
/// empty map or list stays, for it can have a meaning (`podSelector: {}`). A whole number that is
/// held as a float becomes an integer. Idempotent.
pub fn clean(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|field, _| !SET_BY_SERVER.contains(&field.as_str()));
        }
    }
    normalise(&mut object);
    object
}

fn normalise(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(normalise);
        }
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Number(number) => {
            if let Some(whole) = whole(number) {
                *number = whole;
            }
        }
        _ => {}
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the range is checked")]
fn whole(number: &Number) -> Option<Number> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    (float.fract() == 0.0 && float.abs() <= LARGEST_EXACT).then(|| Number::from(float as i64))
}

/// Serialises a typed object and cleans it.
pub fn to_value<T: Serialize>(object: &T) -> Result<Value, serde_json::Error> {
    serde_json::to_value(object).map(clean)
}

/// Metadata of a cluster-scoped object with our labels.
pub(super) fn metadata(name: &str, component: Option<&str>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some(labels(component)),
        ..ObjectMeta::default()
    }
}

/// Metadata of a namespaced object with our labels.
pub(super) fn metadata_in(namespace: &str, name: &str, component: Option<&str>) -> ObjectMeta {
    ObjectMeta {
        namespace: Some(namespace.to_owned()),
        ..metadata(name, component)
    }
}

pub(super) fn labels(component: Option<&str>) -> BTreeMap<String, String> {
    let name = std::iter::once((NAME_LABEL, APPLICATION));
    strings(name.chain(component.map(|component| (COMPONENT_LABEL, component))))
}

pub(super) fn selector(match_labels: BTreeMap<String, String>) -> LabelSelector {
    LabelSelector {
        match_expressions: None,
        match_labels: Some(match_labels),
    }
}

pub(super) fn strings<'a>(
    entries: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, String> {
    entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_server_strips_goes_and_meaningful_empty_maps_stay() {
        let object = json!({
            "apiVersion": "v1",
            "metadata": { "name": "a", "creationTimestamp": null, "uid": "u" },
            "spec": { "podSelector": {}, "gone": null, "list": [], "items": [null, 1], "status": 1 },
            "status": { "phase": "x" },
        });
        let kept = json!({
            "apiVersion": "v1",
            "metadata": { "name": "a" },
            "spec": { "podSelector": {}, "list": [], "items": [null, 1], "status": 1 },
        });
        assert_eq!(clean(object), kept);
        assert_eq!(clean(kept.clone()), kept);
    }

    #[test]
    fn a_whole_float_is_written_as_the_server_writes_it() {
        let value =
            clean(json!({ "a": 4_194_304.0, "b": 0.5, "c": u64::MAX, "d": 1e300, "e": -2.0 }));
        let text = format!(
            r#"{{"a":4194304,"b":0.5,"c":{},"d":1e+300,"e":-2}}"#,
            u64::MAX
        );
        assert_eq!(value, serde_json::from_str::<Value>(&text).unwrap());
        assert!(value["a"].is_i64() && value["e"].is_i64() && value["d"].is_f64());
    }

    #[test]
    fn an_object_says_what_it_is() {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": { "name": "r", "namespace": "n" },
        });
        assert_eq!(
            object_id(&role).to_string(),
            "Role.rbac.authorization.k8s.io n/r"
        );
        let namespace =
            json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "n" } });
        assert_eq!(object_id(&namespace).to_string(), "Namespace n");
        assert!(object_id(&json!([])).name.is_empty());
    }
}
