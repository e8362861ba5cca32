//! The fleet that `init` writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use banlieue_gen::cli::Cli;
use banlieue_gen::commands::{self, Exit, init};
use banlieue_gen::load::{self, Loaded, Source};
use banlieue_gen::plan::{self, Plan, Selection};
use banlieue_schemas::{fleet::Fleet, json_schema};
use clap::Parser;

/// The plan of a fleet, or what is wrong with it; a warning is wrong too.
pub fn plan(source: Source) -> Result<Plan, String> {
    let loaded: Loaded<Fleet> = load::load(&[source], &json_schema::merged(), &BTreeMap::new())
        .map_err(|found| format!("{found:#?}"))?;
    if !loaded.warnings.is_empty() {
        return Err(format!("{:#?}", loaded.warnings));
    }
    plan::plan(&loaded.value, &Selection::default()).map_err(|found| format!("{found:#?}"))
}

fn run(arguments: &[&str]) -> Exit {
    let arguments = ["banlieue-gen", "--quiet"].iter().chain(arguments);
    commands::run(Cli::parse_from(arguments))
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_starter_keeps_its_promises_and_warns_of_nothing() {
    let plan = plan(Source::new("fleet.yaml", init::STARTER)).unwrap();
    let verdicts: Vec<_> = plan
        .clusters
        .iter()
        .flat_map(|cluster| &cluster.survival)
        .collect();
    assert!(verdicts.iter().any(|verdict| verdict.promised));
    assert!(
        verdicts
            .iter()
            .all(|verdict| verdict.survives || !verdict.promised)
    );
}

#[test]
fn what_init_writes_checks_and_renders_clean() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("new/fleet.yaml");
    assert_eq!(run(&["init", path(&fleet)]), Exit::Success);
    assert_eq!(run(&["check", "-f", path(&fleet)]), Exit::Success);
    let tree = folder.path().join("tree");
    assert_eq!(
        run(&["render", "-f", path(&fleet), "-o", path(&tree)]),
        Exit::Success
    );
    assert_eq!(
        run(&["diff", "-f", path(&fleet), "-o", path(&tree)]),
        Exit::Success
    );
}

#[test]
fn the_first_line_gives_editors_the_schema_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.yaml");
    assert_eq!(run(&["init", path(&fleet)]), Exit::Success);
    let text = fs::read_to_string(&fleet).unwrap();
    let schema = text
        .lines()
        .next()
        .unwrap()
        .strip_prefix("# yaml-language-server: $schema=")
        .unwrap();
    let schema = fs::read_to_string(folder.path().join(schema)).unwrap();
    assert_eq!(schema, json_schema::to_text(&json_schema::fleet()));
}

#[test]
fn a_fleet_that_is_there_already_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.yaml");
    fs::write(&fleet, "mine").unwrap();
    assert_eq!(run(&["init", path(&fleet)]), Exit::Failure);
    assert_eq!(fs::read_to_string(&fleet).unwrap(), "mine");
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["fleet.yaml"]);
}
