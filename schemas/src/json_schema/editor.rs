//! Schemas of fleet files, for editors.

use schemars::{
    Schema,
    transform::{RecursiveTransform, Transform, transform_subschemas},
};
use serde_json::{Map, Value, json};

use super::{id, named, strip_kubernetes};

/// Somewhere in the text a parameter is referred to.
const REFERENCE: &str = r"\$\{\{";

/// Schema of a fleet that is written in one file.
pub fn fleet() -> Value {
    let mut schema = file("fleet.v1alpha1.json", "Fleet");
    allow_references(&mut schema);
    schema.to_value()
}

/// Schema of a file that changes a part of a fleet: nothing but the header is required, and
/// `null` removes.
pub fn layer() -> Value {
    let mut schema = file("fleet.layer.v1alpha1.json", "Layer of a fleet");
    allow_references(&mut schema);
    transform_subschemas(&mut allow_absence, &mut schema);
    schema.insert("required".to_owned(), json!(["apiVersion", "kind"]));
    schema.to_value()
}

fn file(name: &str, title: &str) -> Schema {
    let mut schema = Schema::try_from(named()).unwrap_or_default();
    RecursiveTransform(strip_kubernetes).transform(&mut schema);
    schema.insert("$id".to_owned(), id(name).into());
    schema.insert("title".to_owned(), title.into());
    schema
}

/// Every scalar may be a reference to a parameter instead. Text without a pattern can hold one
/// anyway.
fn allow_references(schema: &mut Schema) {
    transform_subschemas(&mut allow_references, schema);
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    if keywords.contains_key("const") {
        return;
    }
    match keywords.get("type").and_then(Value::as_str) {
        Some(kind @ ("integer" | "number" | "boolean")) => {
            let types = json!([kind, "string"]);
            keywords.insert("type".to_owned(), types);
            keywords.insert("pattern".to_owned(), REFERENCE.into());
        }
        Some("string") => {
            if let Some(Value::String(pattern)) = keywords.get_mut("pattern") {
                *pattern = format!("{pattern}|{REFERENCE}");
            }
        }
        _ => add_alternative(
            keywords,
            json!({ "description": "A reference to a parameter.", "pattern": REFERENCE }),
        ),
    }
}

/// Whatever other layers say need not be said, and `null` removes it.
fn allow_absence(schema: &mut Schema) {
    transform_subschemas(&mut allow_absence, schema);
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    keywords.remove("required");
    if keywords.contains_key("const") {
        return;
    }
    match keywords.get_mut("type") {
        Some(Value::Array(types)) => types.push("null".into()),
        Some(kind) => *kind = json!([kind.clone(), "null"]),
        None => add_alternative(keywords, json!({ "type": "null" })),
    }
}

/// Adds an alternative to an enumeration, whose alternatives may overlap from then on.
fn add_alternative(keywords: &mut Map<String, Value>, alternative: Value) {
    let one_of = keywords.remove("oneOf");
    if let Some(Value::Array(mut alternatives)) = one_of.or_else(|| keywords.remove("anyOf")) {
        alternatives.push(alternative);
        keywords.insert("anyOf".to_owned(), alternatives.into());
    }
}
