#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::json;

use super::*;

const MANAGER: &str = "m";

fn document() -> Value {
    json!({
        "apiVersion": "g/v1", "kind": "K",
        "metadata": {"name": "a", "namespace": "n", "labels": {"l": "1"},
            "ownerReferences": [{"uid": "o", "name": "owner"}]},
        "spec": {
            "number": 1,
            "atomic": [1, 2],
            "set": ["x", "y"],
            "list": [{"name": "b", "size": 1}, {"name": "a", "size": 2}],
        },
    })
}

fn fields() -> Value {
    json!({
        "f:metadata": {
            "f:labels": {"f:l": {}},
            "f:ownerReferences": {"k:{\"uid\":\"o\"}": {}},
        },
        "f:spec": {
            ".": {},
            "f:number": {},
            "f:atomic": {},
            "f:set": {"v:\"x\"": {}, "v:\"y\"": {}},
            "f:list": {
                "k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:size": {}},
                "k:{\"name\":\"b\"}": {".": {}, "f:name": {}, "f:size": {}},
            },
        },
    })
}

/// The document as stored, with what others and the server added.
fn live() -> Value {
    let mut live = document();
    live["metadata"]["uid"] = "u".into();
    live["metadata"]["labels"]["theirs"] = "2".into();
    live["metadata"]["managedFields"] = json!([
        {"manager": "other", "operation": "Apply", "apiVersion": "g/v1", "fieldsV1": {}},
        {"manager": MANAGER, "operation": "Update", "apiVersion": "g/v1", "fieldsV1": {}},
        {"manager": MANAGER, "operation": "Apply", "apiVersion": "g/v1", "subresource": "status",
            "fieldsV1": {}},
        {"manager": MANAGER, "operation": "Apply", "apiVersion": "g/v1", "fieldsV1": fields()},
    ]);
    live["spec"]["defaulted"] = true.into();
    live["spec"]["set"] = json!(["x", "theirs", "y"]);
    live["spec"]["list"] = json!([
        {"name": "theirs"}, {"name": "b", "size": 1, "defaulted": 0}, {"name": "a", "size": 2},
    ]);
    live
}

const FIELDS: &str = "/metadata/managedFields/3/fieldsV1";

fn with(mut value: Value, at: &str, new: Value) -> Value {
    *value.pointer_mut(at).unwrap() = new;
    value
}

#[test]
fn what_others_add_does_not_matter() {
    assert!(is_applied(&document(), &live(), MANAGER));
}

#[test]
fn any_difference_in_what_we_own_calls_for_a_request() {
    let table = [
        ("/spec/number", json!(2)),
        ("/spec/atomic", json!([2, 1])),
        ("/spec/set", json!(["x"])),
        ("/spec/set", json!(["y", "x"])),
        ("/spec/list/1/size", json!(3)),
        (
            "/spec/list",
            json!([{"name": "a", "size": 2}, {"name": "b", "size": 1}]),
        ),
        ("/metadata/labels", json!({})),
        ("/metadata/labels/l", json!("2")),
        ("/metadata/ownerReferences/0/name", json!("other")),
    ];
    for (at, new) in table {
        let live = with(live(), at, new.clone());
        assert!(!is_applied(&document(), &live, MANAGER), "{at} {new}");
    }
}

#[test]
fn an_intent_that_names_other_fields_calls_for_a_request() {
    let mut more = document();
    more["spec"]["new"] = 1.into();
    let mut less = document();
    less["spec"].as_object_mut().unwrap().remove("number");
    let mut emptied = document();
    emptied["spec"]["list"] = json!([]);
    let twice = with(document(), "/spec/set", json!(["x", "x"]));
    for document in [more, less, emptied, twice] {
        assert!(!is_applied(&document, &live(), MANAGER), "{document}");
    }
}

#[test]
fn what_cannot_be_understood_calls_for_a_request() {
    let table = [
        (FIELDS, Value::Null),
        (FIELDS, json!({"f:spec": {"i:0": {}}})),
        ("/metadata/managedFields", json!([])),
        ("/metadata/managedFields/3/apiVersion", json!("g/v0")),
        ("/metadata/managedFields/3/manager", json!("another")),
        ("/metadata/managedFields/0/manager", json!(MANAGER)),
    ];
    for (at, new) in table {
        let live = with(live(), at, new.clone());
        assert!(!is_applied(&document(), &live, MANAGER), "{at} {new}");
    }
    assert!(!is_applied(&document(), &json!({}), MANAGER));
}
