//! The objects as one stream on standard output.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::{Folder, documents, is_manifest, objects, text};

const STAGES: [&str; 8] = [
    "crds",
    "rbac",
    "system",
    "classes",
    "providers",
    "images",
    "clusters",
    "machines",
];

#[test]
fn every_object_comes_after_its_namespace_and_its_definition() {
    let stream = Folder::new().ok("render").out;
    let objects = objects(&stream);
    let place = |kind: &str, name: &str| {
        objects
            .iter()
            .position(|o| text(o, "/kind") == kind && text(o, "/metadata/name") == name)
    };
    let definitions: BTreeMap<&str, usize> = objects
        .iter()
        .enumerate()
        .filter(|(_, o)| text(o, "/kind") == "CustomResourceDefinition")
        .map(|(index, o)| (text(o, "/spec/names/kind"), index))
        .collect();
    let mut defined = 0;
    for (index, object) in objects.iter().enumerate() {
        let name = format!(
            "{} {}",
            text(object, "/kind"),
            text(object, "/metadata/name")
        );
        let namespace = text(object, "/metadata/namespace");
        if !namespace.is_empty() {
            let at = place("Namespace", namespace);
            assert!(
                at.is_some_and(|at| at < index),
                "{name} has no namespace yet"
            );
        }
        if text(object, "/apiVersion").contains("banlieue.io/") {
            let at = definitions.get(text(object, "/kind"));
            assert!(
                at.is_some_and(|at| *at < index),
                "{name} is not defined yet"
            );
            defined += 1;
        }
    }
    assert!(defined > 10, "the example uses our own kinds");
}

#[test]
fn the_stages_are_parts_of_the_stream_in_order() {
    let folder = Folder::new();
    let parts: Vec<String> = STAGES
        .iter()
        .map(|stage| folder.ok(&format!("render --stage {stage}")).out)
        .collect();
    assert!(parts.iter().all(|part| !part.is_empty()));
    assert!(parts.concat() == folder.ok("render").out);
}

#[test]
fn several_stages_can_be_chosen() {
    let folder = Folder::new();
    let both = folder.ok("render --stage classes --stage crds").out;
    let one = |stage: &str| folder.ok(&format!("render --stage {stage}")).out;
    assert!(both == one("crds") + &one("classes"));
}

#[test]
fn the_stream_holds_the_objects_of_the_tree_without_the_engines_entries() {
    let folder = Folder::new();
    folder.ok("render -f fleet.yaml -o repo");
    let mut tree = folder.tree("repo");
    tree.retain(|path, _| is_manifest(path) && !path.starts_with("flux/"));
    let stream = folder.ok("render -f fleet.yaml").out;
    let documents = documents(&stream);
    let streamed: BTreeSet<&str> = documents.iter().copied().collect();
    assert_eq!(streamed.len(), documents.len(), "an object comes twice");
    let filed: BTreeSet<&str> = tree.values().map(String::as_str).collect();
    assert_eq!(streamed, filed);
}

/// Reads one line of what a command writes, goes away, and answers the line, the exit code and what
/// was said.
fn first_line_only(folder: &Folder, arguments: &[&str]) -> (String, Option<i32>, String) {
    let mut child = folder
        .command()
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    (first, child.wait().unwrap().code(), said)
}

#[test]
fn a_reader_that_goes_away_ends_the_stream_quietly() {
    let folder = Folder::new();
    let ended = first_line_only(&folder, &["render", "-f", "fleet.yaml"]);
    assert_eq!(ended, ("---\n".to_owned(), Some(0), String::new()));
}

#[test]
fn a_reader_that_goes_away_ends_findings_as_json_quietly() {
    let folder = Folder::new();
    let unknown: String = (0..900).fold(String::new(), |fields, index| {
        fields + &format!("  f{index}: 1\n")
    });
    folder.layer("faults.yaml", &format!("platform:\n{unknown}"));
    let arguments = [
        "check",
        "-f",
        "fleet.yaml",
        "-f",
        "faults.yaml",
        "--format",
        "json",
    ];
    let ended = first_line_only(&folder, &arguments);
    assert_eq!(ended, ("[\n".to_owned(), Some(0), String::new()));
}

#[test]
fn a_full_disk_is_not_taken_for_success() {
    let folder = Folder::new();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = folder
        .command()
        .arg("render")
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
}
