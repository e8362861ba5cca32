//! The test bed itself: if one of these fails, no other result counts.

use std::path::Path;

use banlieue_tests::apiserver::ApiServer;
use banlieue_tests::cluster_api::Engine;
use banlieue_tests::flux::{Change, Kustomization};
use banlieue_tests::{cluster_api, yaml};
use serde_json::{Value, json};

#[test]
fn readers_take_unquoted_words_for_booleans_and_numbers() {
    let text = "word: y\ncount: 1_000\nsafe: \"y\"\n---\nnext: \"1_000\"\n";
    let expected = vec![
        json!({"word": true, "count": 1000, "safe": "y"}),
        json!({"next": "1_000"}),
    ];
    assert_eq!(yaml::go_read(text).unwrap(), expected);

    // PyYAML leaves a single letter alone, so it needs a longer word.
    let expected =
        vec![json!({"word": true, "safe": "no", "day": "!date datetime.date(2001, 1, 1)"})];
    assert_eq!(
        yaml::python_read("word: yes\nsafe: \"no\"\nday: 2001-01-01\n").unwrap(),
        expected
    );
}

#[test]
fn readers_show_keys_that_lost_their_type() {
    assert_eq!(
        yaml::go_read("y: 1\n\"n\": 2\n").unwrap(),
        [json!({"true": 1, "n": 2})]
    );
    assert_eq!(
        yaml::python_read("no: 1\n\"on\": 2\n").unwrap(),
        [json!({"!bool False": 1, "on": 2})]
    );
}

#[test]
fn go_reader_refuses_a_duplicate_key() {
    let error = yaml::go_read("a: 1\na: 2\n").unwrap_err().to_string();
    assert!(error.contains("already set in map"), "{error}");
}

#[test]
fn strict_substitution_refuses_an_unknown_variable() {
    assert_eq!(
        yaml::flux_substitute("$${KEPT} ${A:=b}").unwrap(),
        "${KEPT} b"
    );
    let error = yaml::flux_substitute("${NAME}").unwrap_err().to_string();
    assert!(error.contains("NAME"), "{error}");
}

/// One server for several behaviours: each start costs seconds and memory.
#[test]
fn flux_applies_a_toy_tree_from_empty_then_changes_nothing_and_prunes() {
    let api = ApiServer::start().unwrap();
    assert_eq!(api.get("/version").unwrap()["gitVersion"], "v1.36.3");

    let tree = tempfile::tempdir().unwrap();
    write_toy_tree(tree.path(), &["kept", "pruned"]);
    let flux = Kustomization::new("toy", "./");

    let first = flux.apply(&api, tree.path()).unwrap();
    assert_eq!(with_action(&first, "created").len(), 5, "{first:?}");
    let versions = resource_versions(&api);

    let second = flux.apply(&api, tree.path()).unwrap();
    assert_eq!(with_action(&second, "unchanged").len(), 5, "{second:?}");
    assert_eq!(resource_versions(&api), versions);

    write_toy_tree(tree.path(), &[]);
    let third = flux.apply(&api, tree.path()).unwrap();
    assert_eq!(with_action(&third, "deleted"), ["ConfigMap/toy/pruned"]);
    assert_eq!(with_action(&third, "skipped"), ["ConfigMap/toy/kept"]);
    api.get("/api/v1/namespaces/toy/configmaps/kept").unwrap();
    api.get("/api/v1/namespaces/toy/configmaps/pruned")
        .unwrap_err();

    let misspelt =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad, namespace: toy}\ndatum: {a: b}\n";
    std::fs::write(tree.path().join("bad.yaml"), misspelt).unwrap();
    add_resource(tree.path(), "bad.yaml");
    let error = flux.apply(&api, tree.path()).unwrap_err().to_string();
    assert!(error.contains("datum"), "{error}");
}

#[test]
fn kinds_of_other_projects_are_served() {
    let api = ApiServer::start().unwrap();
    cluster_api::install(&api, &[Engine::Flux, Engine::ArgoCd]).unwrap();
    for (path, kind) in [
        ("/apis/cluster.x-k8s.io/v1beta2", "MachineDeployment"),
        (
            "/apis/bootstrap.cluster.x-k8s.io/v1beta2",
            "KubeadmConfigTemplate",
        ),
        (
            "/apis/controlplane.cluster.x-k8s.io/v1beta2",
            "KubeadmControlPlane",
        ),
        (
            "/apis/bootstrap.cluster.x-k8s.io/v1beta2",
            "K0sWorkerConfigTemplate",
        ),
        (
            "/apis/controlplane.cluster.x-k8s.io/v1beta2",
            "K0smotronControlPlane",
        ),
        (
            "/apis/controlplane.cluster.x-k8s.io/v1beta2",
            "K0sControlPlane",
        ),
        ("/apis/kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
        ("/apis/source.toolkit.fluxcd.io/v1", "GitRepository"),
        ("/apis/argoproj.io/v1alpha1", "Application"),
        ("/apis/argoproj.io/v1alpha1", "AppProject"),
    ] {
        let served = api.get(path).unwrap();
        let kinds: Vec<&Value> = served["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| &r["kind"])
            .collect();
        assert!(
            kinds.contains(&&json!(kind)),
            "{path} lacks {kind}: {kinds:?}"
        );
    }
}

/// A namespace, a CRD, an object of that kind, and a ConfigMap for each name,
/// of which "kept" must not be pruned.
fn write_toy_tree(root: &Path, config_maps: &[&str]) {
    let mut objects = vec![
        (
            "namespace.json",
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "toy"}}),
        ),
        ("crd.json", toy_crd()),
        (
            "toy.json",
            json!({
                "apiVersion": "tests.banlieue.io/v1", "kind": "Toy",
                "metadata": {"name": "one", "namespace": "toy"},
                "spec": {"word": "y"},
            }),
        ),
    ];
    for name in config_maps {
        let prune = if *name == "kept" {
            "disabled"
        } else {
            "enabled"
        };
        let file = if *name == "kept" {
            "kept.json"
        } else {
            "pruned.json"
        };
        objects.push((
            file,
            json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": "toy",
                    "annotations": {"kustomize.toolkit.fluxcd.io/prune": prune}},
            }),
        ));
    }
    for (file, object) in &objects {
        std::fs::write(root.join(file), object.to_string()).unwrap();
    }
    write_kustomization(root, objects.iter().map(|(file, _)| *file));
}

fn write_kustomization<'a>(root: &Path, files: impl Iterator<Item = &'a str>) {
    let mut text = "resources:\n".to_owned();
    for file in files {
        text.push_str(&format!("- {file}\n"));
    }
    std::fs::write(root.join("kustomization.yaml"), text).unwrap();
}

fn add_resource(root: &Path, file: &str) {
    let path = root.join("kustomization.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, format!("{text}- {file}\n")).unwrap();
}

fn toy_crd() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.tests.banlieue.io"},
        "spec": {
            "group": "tests.banlieue.io", "scope": "Namespaced",
            "names": {"kind": "Toy", "listKind": "ToyList", "plural": "toys", "singular": "toy"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": {"word": {"type": "string"}}}},
            }}}],
        },
    })
}

fn with_action<'a>(changes: &'a [Change], action: &str) -> Vec<&'a str> {
    changes
        .iter()
        .filter(|change| change.action == action)
        .map(|change| change.id.as_str())
        .collect()
}

fn resource_versions(api: &ApiServer) -> Vec<String> {
    [
        "/api/v1/namespaces/toy",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/toys.tests.banlieue.io",
        "/apis/tests.banlieue.io/v1/namespaces/toy/toys/one",
        "/api/v1/namespaces/toy/configmaps/kept",
        "/api/v1/namespaces/toy/configmaps/pruned",
    ]
    .iter()
    .map(|path| api.get(path).unwrap()["metadata"]["resourceVersion"].to_string())
    .collect()
}
