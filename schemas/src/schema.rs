//! What the API server wants of a generated schema beyond what the derives do.

use schemars::Schema;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value};

/// Adapts the schema of one spec or status, for use as `#[schemars(transform = ...)]`.
///
/// - An optional field is one that may be absent, never one that may be `null`. The API server
///   then prunes an explicit `null` before it defaults, and `has(self.field)` in a CEL rule means
///   what it says.
/// - A paragraph of a description is one line, so that `kubectl explain` wraps it.
/// - Integer formats become the two that OpenAPI knows; the API server warns about others.
pub fn for_api_server(schema: &mut Schema) {
    transform_subschemas(&mut for_api_server, schema);
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    drop_null_alternative(object);
    drop_null_type(object);
    name_integer_format(object);
    join_lines(object);
}

/// `anyOf: [T, null]` becomes `T`; the field's own description and default stay.
fn drop_null_alternative(object: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = object.get("anyOf") else {
        return;
    };
    let [value, null] = alternatives.as_slice() else {
        return;
    };
    if null.get("type") != Some(&Value::from("null")) {
        return;
    }
    let Value::Object(value) = value.clone() else {
        return;
    };
    object.remove("anyOf");
    for (keyword, content) in value {
        object.entry(keyword).or_insert(content);
    }
}

/// `type: [T, null]` becomes `type: T`, and `null` leaves the enumerated values.
fn drop_null_type(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get("type")
        && let [value, Value::String(null)] = types.as_slice()
        && null == "null"
    {
        let value = value.clone();
        object.insert("type".into(), value);
        if let Some(Value::Array(values)) = object.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
}

fn name_integer_format(object: &mut Map<String, Value>) {
    let format = match object.get("format").and_then(Value::as_str) {
        Some("uint8" | "uint16" | "int8" | "int16") => "int32",
        Some("uint32" | "uint64" | "uint" | "int") => "int64",
        _ => return,
    };
    object.insert("format".into(), format.into());
}

fn join_lines(object: &mut Map<String, Value>) {
    if let Some(Value::String(description)) = object.get_mut("description") {
        let paragraphs: Vec<String> = description
            .split("\n\n")
            .map(|paragraph| paragraph.replace('\n', " "))
            .collect();
        *description = paragraphs.join("\n\n");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use serde_json::json;

    fn adapted(schema: Value) -> Value {
        let mut schema = Schema::try_from(schema).unwrap();
        for_api_server(&mut schema);
        schema.to_value()
    }

    #[test]
    fn an_optional_object_keeps_the_description_of_its_field() {
        assert_eq!(
            adapted(json!({"properties": {"a": {
                "description": "field", "default": "x",
                "anyOf": [{"type": "string", "description": "type"}, {"type": "null"}],
            }}})),
            json!({"properties": {"a": {
                "description": "field", "default": "x", "type": "string",
            }}}),
        );
    }

    #[test]
    fn null_leaves_types_and_enums() {
        assert_eq!(
            adapted(json!({"type": ["string", "null"], "enum": ["a", null]})),
            json!({"type": "string", "enum": ["a"]}),
        );
    }

    #[test]
    fn unsigned_integers_get_a_format_that_openapi_knows() {
        assert_eq!(
            adapted(json!({"items": {"type": "integer", "format": "uint32"}})),
            json!({"items": {"type": "integer", "format": "int64"}}),
        );
    }

    #[test]
    fn a_paragraph_becomes_one_line() {
        assert_eq!(
            adapted(json!({"description": "one\ntwo\n\nthree"})),
            json!({"description": "one two\n\nthree"}),
        );
    }
}
