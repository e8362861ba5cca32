#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::manifests::object::clean;

#[test]
fn a_bad_name_says_what_is_wrong_with_it() {
    let message = |result: Result<(), NameError>| result.unwrap_err().to_string();
    assert_eq!(message(check_label("")), "is empty");
    assert_eq!(
        message(check_label("a.b")),
        "has '.' at position 2; only a-z, 0-9 and '-' are allowed"
    );
    assert_eq!(
        message(check_label(&"a".repeat(64))),
        "has 64 characters, at most 63 are allowed"
    );
    assert_eq!(
        check_label("a-"),
        Err(NameError::Label { label: "a-".into() })
    );
    assert_eq!(
        check_subdomain("a..b"),
        Err(NameError::Label {
            label: String::new()
        })
    );
    assert_eq!(
        check_subdomain("a.-b"),
        Err(NameError::Label { label: "-b".into() })
    );
    assert!(matches!(
        check_subdomain("a.B"),
        Err(NameError::Character { position: 3, .. })
    ));
    assert_eq!(check_label(&"a".repeat(63)), Ok(()));
    assert_eq!(check_subdomain(&"a".repeat(253)), Ok(()));
}

#[test]
fn names_and_hashes_are_frozen() {
    assert_eq!(
        workload("vsphere", "vc-1"),
        "banlieue-provider-vsphere-vc-1"
    );
    assert_eq!(
        cluster_scoped_workload("sim", "default", "a"),
        "banlieue-provider-sim-default-a"
    );
    assert_eq!(
        failure_domain("vc1", "DC Paris", "Rack_07"),
        "vc1-dc-paris-rack-07"
    );
    assert_eq!(
        shorten(&[&"a".repeat(40), "b", "c"], 24),
        "aaaaaaaaaaaaaaa-852e3ddf"
    );
    assert_eq!(
        content_hash(
            &json!({ "b": [1, null, {}], "a": { "x": null, "y": "1" } }),
            16
        ),
        "28ff2b8ac5e55fb7"
    );
    assert_eq!(
        exact_hash(
            &json!({ "b": [1, null, {}], "a": { "x": {}, "y": "1", "z": null } }),
            16
        ),
        "272641f0e8608283"
    );
}

#[test]
fn a_dash_in_a_class_or_namespace_does_not_merge_two_providers() {
    assert_ne!(workload("a-b", "c"), workload("a", "b-c"));
    assert_ne!(
        cluster_scoped_workload("sim", "team-a", "b"),
        cluster_scoped_workload("sim", "team", "a-b")
    );
}

#[test]
fn a_cut_never_leaves_two_dashes_or_a_broken_character() {
    assert!(!shorten(&["abcdef", &"b".repeat(20)], 16).contains("--"));
    assert!(shorten(&[&"é".repeat(40)], 20).starts_with("ééééé-"));
    assert_eq!(shorten(&["abcdefghijkl"], 5).len(), 5);
}

#[test]
fn a_text_without_letters_still_gives_a_label() {
    assert_eq!(check_label(&slugify("数据中心")), Ok(()));
    assert_ne!(slugify("数据"), slugify("中心"));
}

#[test]
fn only_what_changes_the_meaning_changes_the_hash() {
    let hash = |value| content_hash(&value, 8);
    assert_eq!(
        hash(json!({ "a": 1, "b": {} })),
        hash(json!({ "b": { "c": null }, "a": 1 }))
    );
    assert_ne!(hash(json!({ "a": 1 })), hash(json!({ "a": "1" })));
    assert_ne!(
        hash(json!({ "a": [] , "b": 0 })),
        hash(json!({ "a": [{}], "b": 0 }))
    );
    assert_ne!(hash(json!({ "a": false })), hash(json!({})));
}

/// Every value that two levels of maps and lists can make of a few leaves.
fn values() -> Vec<Value> {
    let mut values = vec![json!(null), json!(0), json!(""), json!("{}")];
    for _ in 0..2 {
        let parts = values.clone();
        values.extend([json!([]), json!({})]);
        for part in &parts {
            values.extend([json!([part]), json!({ "a": part })]);
            values.extend(parts.iter().map(|other| json!({ "a": part, "b": other })));
        }
    }
    values
}

#[test]
fn one_exact_hash_means_one_manifest() {
    let mut manifests = BTreeMap::new();
    let mut hashes = BTreeMap::new();
    for value in values() {
        let object = json!({ "spec": value });
        let (hash, manifest) = (exact_hash(&object, 16), clean(object).to_string());
        let known = manifests.entry(hash.clone()).or_insert(manifest.clone());
        assert_eq!(*known, manifest, "two manifests have the hash {hash}");
        let known = hashes.entry(manifest.clone()).or_insert(hash.clone());
        assert_eq!(*known, hash, "two hashes have the manifest {manifest}");
    }
    assert!(manifests.len() > 500);
}

const LABEL: &str = "[a-z0-9]([-a-z0-9]{0,90}[a-z0-9])?";

proptest! {
    #[test]
    fn a_shortened_name_is_valid_and_short_ones_do_not_change(
        parts in proptest::collection::vec(LABEL, 1..5), max in 10..=MAX_LABEL
    ) {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let name = shorten(&parts, max);
        prop_assert_eq!(check_label(&name), Ok(()));
        prop_assert!(name.len() <= max);
        prop_assert_eq!(shorten(&[&name], max), name);
    }

    #[test]
    fn long_siblings_stay_apart(a in "[a-z-]{1,9}", b in "[a-z-]{1,9}") {
        prop_assume!(a != b);
        let front = "x".repeat(200);
        prop_assert_ne!(shorten(&[&front, &a], MAX_LABEL), shorten(&[&front, &b], MAX_LABEL));
        prop_assert_ne!(shorten(&[&front, &a], MAX_LABEL), shorten(&[&format!("{front}-{a}")], MAX_LABEL));
    }

    #[test]
    fn a_workload_name_fits_and_is_valid(class in LABEL, namespace in LABEL, provider in LABEL) {
        prop_assert_eq!(check_label(&workload(&class, &provider)), Ok(()));
        prop_assert_eq!(check_label(&cluster_scoped_workload(&class, &namespace, &provider)), Ok(()));
    }

    #[test]
    fn any_text_gives_a_label(text in any::<String>()) {
        prop_assert_eq!(check_label(&shorten(&[&slugify(&text)], MAX_LABEL)), Ok(()));
    }
}
