#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::json_schema;

/// The records of every schema that we have.
fn all() -> Vec<Vec<Record>> {
    let kinds = json_schema::kinds().unwrap();
    let kinds = kinds
        .iter()
        .map(|kind| records(kind.name(), kind.name(), &kind.schema));
    kinds
        .chain([records("Fleet", "", &json_schema::named())])
        .collect()
}

fn mentioned(shape: &Shape) -> Option<&str> {
    match shape {
        Shape::Record(name) => Some(name),
        Shape::List { items: inner, .. } | Shape::Map { values: inner, .. } => mentioned(inner),
        _ => None,
    }
}

#[test]
fn names_are_unique_and_every_mentioned_record_is_there() {
    for records in all() {
        let names: BTreeSet<&str> = records.iter().map(|record| record.name.as_str()).collect();
        assert_eq!(names.len(), records.len());
        for field in records.iter().flat_map(|record| &record.fields) {
            if let Some(name) = mentioned(&field.shape) {
                assert!(names.contains(name), "{name}");
            }
        }
    }
}

/// Two objects of different content that come to have one name would be taken for one.
#[test]
fn no_object_disappears_behind_another_of_the_same_name() {
    let schema = json!({
        "type": "object",
        "properties": {
            "disk": { "type": "object", "properties": { "a": { "type": "string" } } },
            "disks": { "type": "array", "items": { "type": "object", "properties": { "b": {} } } },
        },
    });
    let records = records("Thing", "", &schema);
    let fields: Vec<&str> = records
        .iter()
        .skip(1)
        .flat_map(|record| &record.fields)
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(fields, ["a", "b"]);
}

#[test]
fn every_type_of_the_fleet_is_described() {
    for records in all() {
        for record in records {
            assert!(!record.description.is_empty(), "{}", record.name);
        }
    }
}

#[test]
fn an_enumeration_keeps_what_its_values_mean() {
    let schema =
        json!({ "properties": { "x": { "oneOf": [{ "const": "a", "description": "A." }] } } });
    let field = records("Thing", "", &schema).remove(0).fields.remove(0);
    let choice = Choice {
        value: "a".to_owned(),
        description: "A.".to_owned(),
    };
    assert_eq!(field.shape, Shape::Choice(vec![choice]));
}
