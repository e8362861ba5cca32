//! JSON Schemas, draft 2020-12.
//!
//! | function | for |
//! |---|---|
//! | [`merged`], [`for_loader`] | the loader: a fleet after layers are merged and parameters replaced |
//! | [`fleet`] | editors: a fleet file, in which a value may be a reference to a parameter |
//! | [`layer`] | editors: a file that changes a part of a fleet that other files describe |
//! | [`kinds()`] | editors and manifest validators: one schema for each of our kinds |
//!
//! They come from the same types that the loader fills, so a file that the editor accepts has no
//! fault of shape.

mod editor;
mod kinds;

use schemars::{
    Schema,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Value, json};

pub use editor::{fleet, layer};
pub use kinds::{Kind, kinds};

use crate::{fleet::Fleet, schema::for_api_server};

/// A key that becomes part of object names.
pub(crate) const NAME_PATTERN: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

const MERGED: &str = include_str!("../../json/fleet.merged.json");

/// What a fleet must match once its layers are merged and its parameters replaced.
///
/// Keys that become names are left to the planner, which explains what is wrong with them.
pub fn merged() -> Value {
    let mut schema = schemars::schema_for!(Fleet);
    for_api_server(&mut schema);
    RecursiveTransform(shorten_references).transform(&mut schema);
    let mut schema = schema.to_value();
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        *definitions = std::mem::take(definitions)
            .into_iter()
            .map(|(name, definition)| (short_name(&name).to_owned(), definition))
            .collect();
        // The type says what the upstream schema only marks: text such as `500m`.
        definitions.insert(
            "Quantity".to_owned(),
            json!({ "description": "A quantity, such as `500m` or `2Gi`.", "type": "string" }),
        );
    }
    schema
}

/// [`merged`], read from the checked-in file, which takes a third of the time of making it. A test
/// holds the two together.
pub fn for_loader() -> Value {
    serde_json::from_str(MERGED).unwrap_or_else(|_| merged())
}

/// [`merged`], with the rule for keys that become names.
pub fn named() -> Value {
    let mut schema = merged();
    let sections = [
        "/properties/sites",
        "/properties/providerClasses",
        "/properties/classes",
        "/properties/images",
        "/properties/tiers",
        "/properties/clusters",
        "/properties/virtualMachines",
        "/$defs/Site/properties/zones",
    ];
    for section in sections {
        if let Some(Value::Object(section)) = schema.pointer_mut(section) {
            let names = json!({ "pattern": NAME_PATTERN, "maxLength": 253 });
            section.insert("propertyNames".to_owned(), names);
        }
    }
    schema
}

/// Definitions of Kubernetes' own types have long names with dots.
fn short_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn shorten_references(schema: &mut Schema) {
    if let Some(Value::String(target)) = schema.get_mut("$ref")
        && let Some(name) = target.strip_prefix("#/$defs/")
    {
        *target = format!("#/$defs/{}", short_name(name));
    }
}

/// Removes what only an API server reads.
fn strip_kubernetes(schema: &mut Schema) {
    if let Some(keywords) = schema.as_object_mut() {
        *keywords = std::mem::take(keywords)
            .into_iter()
            .filter(|(keyword, _)| !keyword.starts_with("x-kubernetes-"))
            .collect();
    }
}

/// An identifier, not an address: nothing is fetched.
fn id(file: &str) -> String {
    format!("https://banlieue.io/schemas/{file}")
}

/// The text of a schema file.
pub fn to_text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

#[cfg(test)]
mod tests;
