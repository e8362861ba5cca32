//! The KCL schemas in the hands of KCL's own engine.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use banlieue_gen::load::Source;
use banlieue_tests::{
    process,
    tools::{Tool, checkout},
};

use super::starter::plan;

/// What `kcl.py` answers to a request, or the engine's message.
fn engine(mut request: serde_json::Value) -> Result<String> {
    request["schemas"] = checkout().join("schemas/kcl").to_str().into();
    let mut python = Command::new(Tool::Python.path()?);
    process::run(
        python.arg(checkout().join("tests/tests/derived/kcl.py")),
        &request.to_string(),
    )
}

/// Runs a program, in a folder of its own since a package is a folder.
fn run(text: &str) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("main.k");
    std::fs::write(&program, text)?;
    run_file(&program)
}

fn run_file(program: &Path) -> Result<String> {
    engine(serde_json::json!({ "program": program }))
}

/// A program that imports a package and makes one object of it.
fn object(import: &str, body: &str) -> String {
    format!("import {import}\n\n{body}\n")
}

#[test]
fn every_package_compiles() {
    for (package, any) in [
        ("banlieue", "banlieue.Metadata {name = \"x\"}"),
        (
            "banlieue.platform",
            "platform.VMClass {metadata.name = \"small\", spec = {hardware = {cpus = 1, memoryMiB = 512, \
             disks = [{name = \"os\", sizeGiB = 1, storageClass = \"fast\"}]}, \
             network.interfaces = [{name = \"eth0\", networkClass = \"prod\"}]}}",
        ),
        (
            "banlieue.infrastructure",
            "infrastructure.SimCluster {metadata.name = \"x\", spec = {}}",
        ),
    ] {
        run(&object(package, any))
            .with_context(|| package.to_owned())
            .unwrap();
    }
}

#[test]
fn the_formatter_of_kcl_changes_nothing() {
    let mut files: Vec<_> = super::checked_in();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "k"));
    files.push("examples/kcl/fleet.k".into());
    let files: Vec<_> = files.iter().map(|path| checkout().join(path)).collect();
    let answers = engine(serde_json::json!({ "format": files })).unwrap();
    let answers: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&answers).unwrap();
    assert_eq!(answers.len(), files.len());
    for (path, formatted) in answers {
        let found = std::fs::read_to_string(&path).unwrap();
        for (index, (found, formatted)) in found.lines().zip(formatted.lines()).enumerate() {
            assert_eq!(found, formatted, "{path}:{}", index + 1);
        }
    }
}

#[test]
fn the_example_program_plans_to_the_same_fleet_as_its_yaml_twin() {
    let json = run_file(&checkout().join("examples/kcl/fleet.k")).unwrap();
    let twin = std::fs::read(checkout().join("examples/fleet/fleet.yaml")).unwrap();
    let (program, twin) = (
        Source::new("fleet.json", json),
        Source::new("fleet.yaml", twin),
    );
    assert_eq!(plan(program).unwrap(), plan(twin).unwrap());
}

#[test]
fn a_wrong_program_is_refused_with_the_reason() {
    let metadata = |fields: &str| object("banlieue", &format!("banlieue.Metadata {{{fields}}}"));
    for (program, reason) in [
        (metadata("nme = \"x\""), "Cannot add member 'nme'"),
        (metadata("name = 1"), "expected str"),
        (
            metadata("description = \"no name\""),
            "attribute 'name' of Metadata is required",
        ),
        (metadata("name = \"Not A Name\""), "name must match"),
        (
            object("banlieue", "banlieue.Endpoint {host = \"x\", port = 70000}"),
            "port must be 1 to 65535",
        ),
        (
            object("banlieue", "banlieue.Endpoint {host = \"x\", port = 0}"),
            "port must be 1 to 65535",
        ),
        (
            object("banlieue", "banlieue.ControlPlane {kind = \"k1s\"}"),
            "kind",
        ),
        (
            object(
                "banlieue",
                "banlieue.Site {backend = \"sim\", zones = {\"Zone_A\" = {}}}",
            ),
            "zones: each key must match",
        ),
    ] {
        let error = run(&program).expect_err(&program).to_string();
        assert!(
            error.contains(reason),
            "{program}\n{reason} is not in:\n{error}"
        );
    }
}
