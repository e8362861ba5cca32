//! Long names.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{Folder, is_manifest, objects, text};

const KINDS: [&str; 3] = ["k0smotron", "k0s", "kubeadm"];

/// A layer with two clusters of each kind of control plane, and two sets of machines, whose names
/// differ at the end only.
fn siblings(folder: &Folder) {
    let (mut clusters, mut sets) = (json!({}), json!({}));
    for end in ["a", "b"] {
        for kind in KINDS {
            let name = format!("{kind}{}{end}", "x".repeat(199 - kind.len()));
            clusters[name] = json!({
                "tier": "silver",
                "version": "v1.34.2",
                "image": "kairos",
                "sites": ["paris", "lyon"],
                "controlPlane": { "kind": kind, "endpoint": { "host": "api.example.com" } },
            });
        }
        let name = format!("{}{end}", "m".repeat(199));
        sets[name] = json!({ "replicas": 2, "class": "small", "image": "kairos", "cloudInit": {} });
    }
    let fields = format!("clusters: {clusters}\nvirtualMachines: {sets}\n");
    folder.layer("long.yaml", &fields);
}

fn is_label(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&name.len())
        && name.chars().all(inner)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

#[test]
fn siblings_with_long_names_get_valid_and_distinct_names() {
    let folder = Folder::new();
    siblings(&folder);
    let stream = folder
        .ok("render -f fleet.yaml -f long.yaml --stage clusters --stage machines")
        .out;
    let mut seen = BTreeSet::new();
    for object in objects(&stream) {
        let (kind, name) = (text(&object, "/kind"), text(&object, "/metadata/name"));
        assert!(is_label(name), "{kind} {name}");
        let id = (kind.to_owned(), name.to_owned());
        assert!(seen.insert(id), "{kind} {name} comes twice");
        assert!(labels_fit(&object), "{kind} {name}");
    }
    let clusters = seen.iter().filter(|(kind, _)| kind == "Cluster").count();
    assert_eq!(clusters, 5 + 2 * KINDS.len());
}

#[test]
fn siblings_with_long_names_get_files_of_their_own() {
    let folder = Folder::new();
    siblings(&folder);
    folder.ok("render -f fleet.yaml -f long.yaml tier=silver -o repo");
    let clusters: BTreeSet<String> = folder
        .tree("repo")
        .keys()
        .filter_map(|path| path.strip_prefix("clusters/silver/"))
        .filter_map(|path| path.split_once('/'))
        .map(|(cluster, _)| cluster.to_owned())
        .collect();
    assert_eq!(clusters.len(), 1 + 2 * KINDS.len());
}

/// Names of entries become label values of everything that they apply.
#[test]
fn entries_of_either_engine_fit_a_label_and_stay_apart() {
    let (tier, site) = ("t".repeat(253), "s".repeat(253));
    for (engine, kind) in [("flux", "Kustomization"), ("argocd", "Application")] {
        let folder = Folder::new();
        siblings(&folder);
        let fleet = "f".repeat(40);
        folder.layer(
            "longer.yaml",
            &format!(
                "metadata: {{name: {fleet}}}\ngitops: {{engine: {engine}}}\n\
                 tiers: {{{tier}: {{replicas: 1, failureDomains: 1, class: small, controlPlane: {{replicas: 1}}}}}}\n\
                 sites: {{{site}: {{backend: sim, endpoint: \"sim://sim:8090/a\", zones: {{a: {{}}}}}}}}\n\
                 clusters:\n  far:\n    tier: {tier}\n    sites: [{site}]\n    version: v1.34.2\n    \
                 image: kairos\n    controlPlane: {{kind: k0smotron}}\n"
            ),
        );
        folder.ok("render -f fleet.yaml -f long.yaml -f longer.yaml -o repo");
        let mut names = BTreeSet::new();
        let mut after = BTreeSet::new();
        for path in folder.tree("repo").keys().filter(|path| is_manifest(path)) {
            let object = folder.object(&format!("repo/{path}"));
            if path.starts_with(&format!("{engine}/")) {
                let name = text(&object, "/metadata/name").to_owned();
                assert!(is_label(&name), "{path}: {name}");
                let is_entry = text(&object, "/kind") == kind;
                assert!(
                    !is_entry || names.insert(name),
                    "{path} has the name of another"
                );
                let before = object["spec"]["dependsOn"].as_array().into_iter().flatten();
                after.extend(before.map(|entry| text(entry, "/name").to_owned()));
            }
            assert!(labels_fit(&object), "{path}");
        }
        // The root, the stages, the clusters of the example and the others, and the sets.
        assert_eq!(names.len(), 1 + 6 + 5 + 2 * KINDS.len() + 1 + 3, "{engine}");
        assert!(after.is_subset(&names), "{after:?}");
    }
}

fn labels_fit(object: &serde_json::Value) -> bool {
    let labels = object
        .pointer("/metadata/labels")
        .and_then(|labels| labels.as_object());
    let mut values = labels
        .into_iter()
        .flatten()
        .map(|(_, value)| value.as_str().unwrap());
    values.all(|value| value.len() <= 63)
}

#[test]
fn the_longest_names_that_are_accepted_have_files() {
    let folder = Folder::new();
    let name = "n".repeat(253);
    folder.layer(
        "long.yaml",
        &format!(
            "classes:\n  {name}:\n    hardware: {{cpus: 1, memoryMiB: 1024, disks: [{{name: os, sizeGiB: 10, \
             storageClass: fast}}]}}\n    network: {{interfaces: [{{name: eth0, networkClass: prod}}]}}\n"
        ),
    );
    folder.ok("render -f fleet.yaml -f long.yaml tier=gold -o repo");
}
