//! What our writer emits means the same to the readers that others use.

use std::collections::BTreeSet;
use std::fs;

use banlieue_gen::check::{kinds::Kinds, object::check};
use banlieue_schemas::manifests::yaml::to_string;
use banlieue_tests::flux::Kustomization;
use banlieue_tests::tools::checkout;
use banlieue_tests::tree;
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

/// Texts that tools which read and write YAML are known to change.
const USER_DATA: &str = include_str!("../cases/user-data.json");

/// A machine runs what is in the object that Flux applies, which kustomize has read and written.
#[test]
fn user_data_comes_through_kustomize_byte_for_byte() {
    let texts: Vec<String> = serde_json::from_str(USER_DATA).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(path("own/cloud-init")).unwrap();
    let mut sets = Map::new();
    for (index, text) in texts.iter().enumerate() {
        // The template engine is not what is asked here.
        let template = format!("{{{{ {} }}}}", json!(text));
        fs::write(path(&format!("own/cloud-init/t{index}.yaml.j2")), template).unwrap();
        let set = json!({
            "replicas": 1, "class": "small", "image": "kairos", "sites": ["nantes"],
            "cloudInit": { "template": format!("t{index}") },
        });
        sets.insert(format!("s{index}"), set);
    }
    let layer = json!({
        "apiVersion": "gen.banlieue.io/v1alpha1", "kind": "Fleet", "virtualMachines": sets,
    });
    fs::write(path("layer.json"), layer.to_string()).unwrap();
    let example = checkout().join("examples/fleet/fleet.yaml");
    let (layer, own, repo) = (path("layer.json"), path("own"), path("repo"));
    tree::render(
        &[
            "-f",
            example.to_str().unwrap(),
            "-f",
            &layer,
            "--templates",
            &own,
        ],
        repo.as_ref(),
    )
    .unwrap();
    for (index, text) in texts.iter().enumerate() {
        let mut stage = Kustomization::new("machines", &format!("virtualmachines/s{index}"));
        stage.substitute = true;
        let built = stage.build(repo.as_ref()).unwrap();
        let map = built
            .iter()
            .find(|object| object["kind"] == "ConfigMap")
            .unwrap();
        assert_eq!(map["data"]["user-data"], *text);
    }
}

/// One such character in one text stops everything that is applied with it.
#[test]
fn check_finds_exactly_the_characters_that_kustomize_loses() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: &Value| {
        fs::write(folder.path().join(name), to_string(value).unwrap()).unwrap();
    };
    write("kustomization.yaml", &json!({ "resources": ["map.yaml"] }));
    let kinds = Kinds::compile().unwrap();
    let rare =
        "\u{ad}\u{200b}\u{2028}\u{2029}\u{d7ff}\u{e000}\u{feff}\u{fffd}\u{fffe}\u{ffff}\u{10ffff}";
    for c in ('\u{1}'..='\u{1f}')
        .chain('\u{7e}'..='\u{a0}')
        .chain(rare.chars())
    {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "b" },
            "data": { "one": format!("a{c}b"), "more": format!("a\nb {c} c\n") },
        });
        write("map.yaml", &map);
        let built = Kustomization::new("map", ".").build(folder.path());
        let kept = built.is_ok_and(|built| built[0]["data"] == map["data"]);
        let faults = check(&kinds, &map);
        let found = faults.iter().any(|fault| fault.code.id == "BL4037");
        assert_eq!(found, !kept, "{c:?}: {faults:?}");
    }
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
