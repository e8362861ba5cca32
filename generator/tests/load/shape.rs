//! Schemas that the miniature fleet does not need and the real one may.

use std::collections::BTreeMap;

use banlieue_gen::load::{Source, load};
use serde_json::{Value, json};

use super::HEADER;

/// What is wrong with `x` when its schema is `schema`: code and column.
fn check(schema: &Value, written: &str) -> Vec<(&'static str, u32)> {
    let schema = json!({
        "properties": {"apiVersion": {}, "kind": {}, "x": schema},
        "$defs": {
            "Name": {"type": "string", "pattern": "^[a-z]+$"},
            "Size": {"type": "object", "properties": {"size": {"type": "integer"}},
                     "required": ["size"], "additionalProperties": false},
        },
    });
    let source = Source::new("f.yaml", format!("{HEADER}x: {written}\n"));
    let problems = load::<Value>(&[source], &schema, &BTreeMap::new()).err();
    problems
        .unwrap_or_default()
        .iter()
        .map(|problem| (problem.code, problem.at.as_ref().unwrap().column))
        .collect()
}

/// Asserts what is wrong with each of the values.
fn cases(schema: &Value, cases: &[(&str, &[(&'static str, u32)])]) {
    for (written, expected) in cases {
        assert_eq!(check(schema, written), *expected, "{written} in {schema}");
    }
}

#[test]
fn keys_with_a_pattern() {
    let schema = json!({
        "type": "object",
        "patternProperties": {"^[a-z]+$": {"type": "integer"}},
        "additionalProperties": false,
    });
    cases(
        &schema,
        &[
            ("{a: 1}", &[]),
            ("{A: 1}", &[("BL0306", 5)]),
            ("{a: b}", &[("BL0303", 8)]),
        ],
    );
}

#[test]
fn keys_with_a_schema() {
    let schema = json!({
        "type": "object",
        "propertyNames": {"$ref": "#/$defs/Name"},
        "additionalProperties": {"type": "integer"},
    });
    cases(
        &schema,
        &[("{a: 1}", &[]), ("{a: 1, B: 2}", &[("BL0306", 11)])],
    );
}

#[test]
fn a_restriction_beside_a_reference_applies_too() {
    let schema = json!({"$ref": "#/$defs/Name", "maxLength": 3});
    cases(
        &schema,
        &[
            ("abc", &[]),
            ("abcd", &[("BL0307", 4)]),
            ("ABC", &[("BL0306", 4)]),
        ],
    );
}

#[test]
fn all_of_several_schemas_apply() {
    let schema = json!({"allOf": [{"$ref": "#/$defs/Name"}, {"type": "string", "minLength": 2}]});
    cases(
        &schema,
        &[
            ("ab", &[]),
            ("a", &[("BL0307", 4)]),
            ("AB", &[("BL0306", 4)]),
        ],
    );
}

#[test]
fn lists_of_different_elements() {
    let schema =
        json!({"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minItems": 1});
    cases(
        &schema,
        &[
            ("[1, 2]", &[]),
            ("[]", &[("BL0307", 1)]),
            ("[1, 2, 1]", &[("BL0307", 1)]),
            ("[1, a]", &[("BL0303", 8)]),
        ],
    );
}

#[test]
fn an_object_without_additional_properties_is_closed() {
    let closed = json!({"type": "object", "properties": {"a": {}}});
    cases(&closed, &[("{a: 1}", &[]), ("{b: 1}", &[("BL0301", 5)])]);
    let open = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": true});
    cases(&open, &[("{b: 1}", &[]), ("{b: no}", &[("BL0304", 8)])]);
}

#[test]
fn an_optional_value_is_judged_as_the_value() {
    let schema = json!({"anyOf": [{"$ref": "#/$defs/Size"}, {"type": "null"}]});
    cases(
        &schema,
        &[
            ("{size: 1}", &[]),
            ("{}", &[("BL0302", 1)]),
            ("{size: 1, sise: 2}", &[("BL0301", 14)]),
            ("text", &[("BL0303", 4)]),
        ],
    );
    cases(
        &json!({"type": ["integer", "null"]}),
        &[("1", &[]), ("a", &[("BL0303", 4)])],
    );
}

#[test]
fn a_text_or_a_map_is_judged_by_what_is_written() {
    let schema = json!({"anyOf": [{"$ref": "#/$defs/Name"}, {"$ref": "#/$defs/Size"}]});
    cases(
        &schema,
        &[
            ("abc", &[]),
            ("{size: 1}", &[]),
            ("ABC", &[("BL0306", 4)]),
            ("{size: a}", &[("BL0303", 11)]),
            ("[]", &[("BL0303", 1)]),
        ],
    );
}

#[test]
fn words_and_maps_in_one_enum() {
    let schema = json!({"oneOf": [
        {"type": "string", "enum": ["none", "all"]},
        {"type": "object", "properties": {"only": {"$ref": "#/$defs/Name"}},
         "required": ["only"], "additionalProperties": false},
        {"type": "object", "properties": {"except": {"$ref": "#/$defs/Name"}},
         "required": ["except"], "additionalProperties": false},
    ]});
    cases(
        &schema,
        &[
            ("none", &[]),
            ("{only: a}", &[]),
            ("nnoe", &[("BL0305", 4)]),
            ("no", &[("BL0304", 4)]),
            ("{onyl: a}", &[("BL0301", 5)]),
            ("{only: A}", &[("BL0306", 11)]),
            ("{}", &[("BL0309", 1)]),
        ],
    );
}
