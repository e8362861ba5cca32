#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::json;

use super::*;

/// The schema of an object with one property.
fn property(name: &str, schema: &serde_json::Value, required: bool) -> String {
    let needed = if required { vec![name] } else { vec![] };
    let schema = json!({ "type": "object", "properties": { name: schema }, "required": needed });
    let records = model::records("Thing", "", &schema);
    records.iter().map(schema::write).collect()
}

/// Its lines outside of the documentation string.
fn code(name: &str, schema: &serde_json::Value, required: bool) -> Vec<String> {
    let text = property(name, schema, required);
    let (_, code) = text.split_once("\"\"\"").unwrap();
    let (_, code) = code.split_once("\"\"\"").unwrap();
    code.lines()
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn a_reserved_word_is_escaped_where_it_is_an_attribute() {
    assert_eq!(
        code("check", &json!({ "type": "integer", "minimum": 1 }), true),
        [
            "$check: int",
            "check:",
            "$check >= 1, \"check must be at least 1\"",
        ],
    );
}

#[test]
fn an_absent_attribute_is_not_checked() {
    assert_eq!(
        code(
            "port",
            &json!({ "type": "integer", "maximum": 9, "default": 7 }),
            false
        ),
        [
            "port?: int = 7",
            "check:",
            "port <= 9 if port not in [None, Undefined], \"port must be at most 9\"",
        ],
    );
}

#[test]
fn limits_inside_of_maps_and_lists_are_checked() {
    let schema = json!({
        "type": "object",
        "propertyNames": { "pattern": "^[a-z]$" },
        "additionalProperties": { "type": "array", "items": { "type": "string", "maxLength": 5 } },
    });
    assert_eq!(
        code("m", &schema, true),
        [
            "m: {str:[str]}",
            "check:",
            "all key0 in m {regex.match(key0, r\"^[a-z]$\")}, \"m: each key must match ^[a-z]\\$\"",
            "all _, value0 in m {all item1 in value0 {len(item1) <= 5}}, \
             \"m: each value: each item must have at most 5 characters\"",
        ],
    );
}

#[test]
fn an_enumeration_is_a_union_and_a_constant_its_own_default() {
    let choice = json!({ "oneOf": [{ "const": "a" }, { "const": "b" }], "default": "a" });
    assert_eq!(code("x", &choice, false), ["x?: \"a\" | \"b\" = \"a\""]);
    let constant = json!({ "type": "string", "const": "Fleet" });
    assert_eq!(code("x", &constant, true), ["x: \"Fleet\" = \"Fleet\""]);
}

#[test]
fn an_object_without_a_name_gets_one() {
    let schema =
        json!({ "type": "array", "items": { "type": "object", "properties": { "a": {} } } });
    assert_eq!(
        code("disks", &schema, true)[..2],
        ["disks: [Disk]", "schema Disk:"]
    );
}

#[test]
fn a_description_cannot_end_its_documentation_string() {
    let text = property(
        "x",
        &json!({ "description": "says \"\"\"\nand more" }),
        true,
    );
    assert_eq!(text.matches("\"\"\"").count(), 2, "{text}");
}

#[test]
fn a_literal_interpolates_nothing() {
    assert_eq!(
        words::literal("a\"b\\c${d}\u{7}\n"),
        "\"a\\\"b\\\\c\\${d}\\u0007\\n\""
    );
}

#[test]
fn every_kind_has_a_file_in_the_package_of_its_group() {
    let files = files().unwrap();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for path in [
        "fleet.k",
        "kcl.mod",
        "platform/provider.k",
        "infrastructure/simmachine.k",
    ] {
        assert!(paths.contains(&path), "{path} is not in {paths:?}");
    }
}
