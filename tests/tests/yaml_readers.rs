//! What our writer emits means the same to the readers that others use.

use std::collections::BTreeSet;

use banlieue_schemas::manifests::yaml::to_string;
use banlieue_tests::yaml::{go_read, python_read};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The strings as values and as keys, in a list, nested, and in one-key objects.
fn document(strings: &BTreeSet<String>) -> Value {
    let as_keys: Map<String, Value> = strings
        .iter()
        .enumerate()
        .map(|(index, key)| (key.clone(), json!(index)))
        .collect();
    json!({
        "list": strings,
        "keys": as_keys,
        "objects": strings.iter().map(|text| json!({text: {"value": text}})).collect::<Vec<_>>(),
    })
}

fn assert_read_alike(written: Value) {
    let text = to_string(&written).unwrap();
    let expected = vec![written];
    assert_eq!(
        go_read(&text).unwrap(),
        expected,
        "Go reads something else in:\n{text}"
    );
    assert_eq!(
        python_read(&text).unwrap(),
        expected,
        "PyYAML reads something else in:\n{text}"
    );
}

#[test]
fn known_hazards_keep_their_type() {
    let strings: Vec<String> =
        serde_json::from_str(include_str!("../cases/yaml-hazards.json")).unwrap();
    assert!(strings.len() > 80);
    assert_read_alike(document(&strings.into_iter().collect()));
}

#[test]
fn numbers_booleans_and_null_keep_their_type() {
    assert_read_alike(json!({
        "numbers": [0, -1, 1.5, 1e21, 1e-7, u64::MAX, i64::MIN],
        "others": [true, false, null, [], {}],
    }));
}

proptest! {
    // Each case starts two processes, so few cases with many strings.
    #![proptest_config(ProptestConfig {
        cases: 8,
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_strings_keep_their_type(
        short in prop::collection::vec("[-+.:_0-9a-fnoxyNOYE~ ]{1,5}", 150),
        any in prop::collection::vec(any::<String>(), 50),
    ) {
        assert_read_alike(document(&short.into_iter().chain(any).collect()));
    }
}
