//! Long names.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{Folder, objects, text};

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
        let labels = object
            .pointer("/metadata/labels")
            .and_then(|l| l.as_object());
        for (key, value) in labels.into_iter().flatten() {
            let value = value.as_str().unwrap();
            assert!(value.len() <= 63, "{kind} {name}: {key}={value}");
        }
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
