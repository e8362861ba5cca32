//! One schema for each of our kinds.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use schemars::{
    Schema,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Value, json};

use super::{id, strip_kubernetes};
use crate::manifests::{crds, object};

/// The schema of one kind.
pub struct Kind {
    /// The CRD that it is made of.
    pub crd: CustomResourceDefinition,
    /// The structural schema, with `apiVersion` and `kind` as the only values they can have, and
    /// with the CEL rules.
    pub schema: Value,
}

impl Kind {
    /// Name of the kind.
    pub fn name(&self) -> &str {
        &self.crd.spec.names.kind
    }

    /// `<kind>_<version>.json`, all lower case, which is where manifest validators look.
    pub fn file(&self) -> String {
        format!("{}_{}.json", self.name().to_lowercase(), crate::VERSION)
    }

    /// The schema for editors and manifest validators: unknown fields are faults.
    pub fn json_schema(&self) -> Value {
        let Ok(mut schema) = Schema::try_from(self.schema.clone()) else {
            return Value::Null;
        };
        RecursiveTransform(|schema: &mut Schema| {
            close(schema);
            strip_kubernetes(schema);
        })
        .transform(&mut schema);
        schema.insert(
            "$schema".to_owned(),
            schemars::consts::meta_schemas::DRAFT2020_12.into(),
        );
        schema.insert("$id".to_owned(), id(&self.file()).into());
        schema.insert("title".to_owned(), self.name().into());
        schema.to_value()
    }
}

/// Every kind, in the order of the CRDs. The error is that of serialisation.
pub fn kinds() -> Result<Vec<Kind>, serde_json::Error> {
    crds::all().into_iter().map(kind).collect()
}

fn kind(crd: CustomResourceDefinition) -> Result<Kind, serde_json::Error> {
    let version = crd
        .spec
        .versions
        .first()
        .and_then(|version| version.schema.as_ref());
    let mut schema =
        object::to_value(&version.and_then(|schema| schema.open_api_v3_schema.as_ref()))?;
    let api_version = format!("{}/{}", crd.spec.group, crate::VERSION);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let content = std::mem::take(properties);
        properties.insert("apiVersion".to_owned(), json!({
            "description": format!("Always `{api_version}`."), "type": "string", "const": api_version,
        }));
        let name = &crd.spec.names.kind;
        properties.insert(
            "kind".to_owned(),
            json!({
                "description": format!("Always `{name}`."), "type": "string", "const": name,
            }),
        );
        properties.insert(
            "metadata".to_owned(),
            metadata(crd.spec.scope == "Namespaced"),
        );
        properties.extend(content);
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let content = std::mem::take(required);
        required.extend(["apiVersion", "kind", "metadata"].map(Value::from));
        required.extend(content);
    }
    Ok(Kind { crd, schema })
}

fn metadata(namespaced: bool) -> Value {
    let text = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let mut metadata = json!({
        "description": "Name, labels and annotations of the object.",
        "type": "object",
        "properties": {
            "name": { "description": "Name of the object.", "type": "string", "minLength": 1, "maxLength": 253 },
            "labels": text,
            "annotations": text,
        },
        "required": ["name"],
        "additionalProperties": true,
    });
    if namespaced {
        metadata["properties"]["namespace"] =
            json!({ "description": "Namespace of the object.", "type": "string" });
    }
    metadata
}

/// What a structural schema leaves out is pruned, which hides a typo.
fn close(schema: &mut Schema) {
    schema.remove("nullable");
    if schema.get("x-kubernetes-int-or-string").is_some() && schema.get("type").is_none() {
        schema.insert("type".to_owned(), json!(["integer", "string"]));
    }
    if schema.get("properties").is_some()
        && schema.get("additionalProperties").is_none()
        && schema.get("x-kubernetes-preserve-unknown-fields").is_none()
    {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
}
