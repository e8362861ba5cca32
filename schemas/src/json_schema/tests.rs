#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Map, Value};

use super::*;

/// Calls `visit` with every object of a schema.
fn walk(value: &Value, visit: &mut impl FnMut(&Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            visit(map);
            map.values().for_each(|value| walk(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

fn all() -> Vec<Value> {
    let kinds = kinds().unwrap();
    let kinds = kinds.iter().map(Kind::json_schema);
    [merged(), named(), fleet(), layer()]
        .into_iter()
        .chain(kinds)
        .collect()
}

#[test]
fn every_reference_resolves() {
    for schema in all() {
        walk(&schema, &mut |map| {
            if let Some(Value::String(target)) = map.get("$ref") {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(schema.pointer(pointer).is_some(), "{target}");
            }
        });
    }
}

#[test]
fn what_only_an_api_server_reads_stays_out_of_editors() {
    let kinds = kinds().unwrap();
    let kinds = kinds.iter().map(Kind::json_schema);
    for schema in [fleet(), layer()].into_iter().chain(kinds) {
        assert!(
            !schema.to_string().contains("\"x-kubernetes-"),
            "{}",
            schema["$id"]
        );
    }
}

#[test]
fn a_merged_fleet_holds_no_null() {
    assert!(!merged().to_string().contains("\"null\""));
}

#[test]
fn each_schema_of_its_own_has_an_identifier_of_its_own() {
    let schemas: Vec<Value> = all().into_iter().skip(2).collect();
    let mut ids: Vec<&str> = schemas
        .iter()
        .map(|schema| schema["$id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), schemas.len());
}

#[test]
fn an_unknown_field_of_a_kind_is_a_fault_at_every_level() {
    for kind in kinds().unwrap() {
        walk(&kind.json_schema()["properties"]["spec"], &mut |map| {
            if map.get("type").is_some_and(|kind| kind == "object")
                && map.contains_key("properties")
            {
                assert!(
                    map.contains_key("additionalProperties"),
                    "{}: {map:?}",
                    kind.name()
                );
            }
        });
    }
}
