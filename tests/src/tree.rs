//! Trees that the generator renders, and the order in which Flux delivers them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use banlieue_gen::cli::{Cli, Command};
use banlieue_gen::commands::{self, Exit};
use banlieue_gen::load::parse_value;
use banlieue_gen::printer::Printer;
use clap::Parser;
use serde_json::Value;

use crate::flux::Kustomization;

/// Runs `banlieue-gen render ARGUMENTS -o DIRECTORY` in this process.
pub fn render(arguments: &[&str], directory: &Path) -> Result<()> {
    let output = directory.to_str().context("the path is no UTF-8")?;
    let command = ["banlieue-gen", "--quiet", "render", "-o", output];
    let cli = Cli::try_parse_from(command.into_iter().chain(arguments.iter().copied()))?;
    let exit = commands::run(cli);
    ensure!(
        exit == Exit::Success,
        "render {arguments:?} ended with {exit:?}"
    );
    Ok(())
}

/// What `banlieue-gen render ARGUMENTS` writes to standard output, engine entries left out.
pub fn stream(arguments: &[&str]) -> Result<String> {
    let command = ["banlieue-gen", "--quiet", "render"];
    let cli = Cli::try_parse_from(command.into_iter().chain(arguments.iter().copied()))?;
    let Command::Render(render) = cli.command else {
        bail!("not a rendering: {arguments:?}")
    };
    let mut out = Vec::new();
    commands::render::stream(&render, Printer::new(&cli.global), &mut out)?;
    Ok(String::from_utf8(out)?)
}

/// Every file below a folder of a tree, by its path in the tree.
pub fn files(root: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
                files.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

/// Every rendered object, by its path in the tree.
pub fn objects(root: &Path) -> Result<BTreeMap<String, Value>> {
    let manifest = |path: &str| path.ends_with(".yaml") && !path.ends_with("kustomization.yaml");
    files(root)?
        .into_iter()
        .filter(|(path, _)| manifest(path))
        .map(|(path, bytes)| {
            let text = String::from_utf8(bytes)?;
            let value =
                parse_value(&path, &text).map_err(|problem| anyhow::anyhow!("{problem:?}"))?;
            Ok((path, value))
        })
        .collect()
}

/// The Flux Kustomizations of a tree, each after those that it depends on. That of the entries
/// themselves is left out.
pub fn stages(root: &Path) -> Result<Vec<Kustomization>> {
    let entries = objects(&root.join("flux"))?;
    let mut waiting: Vec<&Value> = entries
        .values()
        .filter(|entry| entry["kind"] == "Kustomization" && !is_root(entry))
        .collect();
    let mut stages: Vec<Kustomization> = Vec::new();
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|entry| {
            let needs = entry["spec"]["dependsOn"].as_array().into_iter().flatten();
            let mut names = needs.filter_map(|need| need["name"].as_str());
            let ready = names.all(|name| stages.iter().any(|stage| stage.name == name));
            if ready {
                stages.push(stage(entry));
            }
            !ready
        });
        ensure!(
            waiting.len() < before,
            "the stages depend on each other in a circle"
        );
    }
    Ok(stages)
}

fn is_root(entry: &Value) -> bool {
    let path = entry["spec"]["path"].as_str();
    path.is_some_and(|path| path == "./flux" || path.ends_with("/flux"))
}

/// Waiting is left out: no controller runs that could make anything ready.
fn stage(entry: &Value) -> Kustomization {
    let text = |pointer: &str| {
        entry
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let path = text("/spec/path").trim_start_matches("./");
    let crds = path.ends_with("00-crds");
    Kustomization {
        wait: crds,
        substitute: true,
        ..Kustomization::new(text("/metadata/name"), path)
    }
}
