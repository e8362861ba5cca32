//! The cases of every CEL rule (`cases/cel/*.json`): for each rule at each place in a schema an
//! object that it accepts and one that it refuses.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// One file: a valid object, and changes of it for each rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The valid object.
    pub base: Value,
    /// One case for each rule at each place.
    pub cases: Vec<Case>,
}

/// One rule at one place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Place of the rule in the schema; `[]` stands for the items of a list.
    #[serde(default)]
    pub path: String,
    /// Text of the rule.
    pub rule: String,
    /// Its message.
    pub message: String,
    /// What the case is about.
    pub name: String,
    /// What the rule accepts.
    pub accepted: Change,
    /// What it refuses.
    pub refused: Change,
    /// Sub-resource that a server gets the change through; the evaluator sees whole objects.
    #[serde(default)]
    pub subresource: Option<String>,
    /// Why the evaluator's verdict is known to differ from the API server's.
    #[serde(default)]
    pub offline_differs: Option<String>,
}

/// JSON merge patches on the base. `old_patch` makes the object before an update.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[serde(default)]
    old_patch: Option<Value>,
    patch: Value,
}

impl Suite {
    /// The cases of a kind.
    pub fn load(kind: &str) -> Result<Self> {
        let file = format!("cases/cel/{}.json", kind.to_lowercase());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        let text = std::fs::read_to_string(&path).context(file.clone())?;
        serde_json::from_str(&text).context(file)
    }
}

impl Change {
    /// The object, and the one before it where the rule is about a change.
    pub fn objects(&self, base: &Value) -> (Value, Option<Value>) {
        let patched = |patch: &Value| {
            let mut object = base.clone();
            merge(&mut object, patch);
            object
        };
        (patched(&self.patch), self.old_patch.as_ref().map(patched))
    }
}

/// JSON merge patch, RFC 7396.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let Value::Object(target) = target else {
        return;
    };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key).or_insert(Value::Null), value);
        }
    }
}
