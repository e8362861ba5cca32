//! Every message, as it looks in the terminal: `input-errors/*.yaml` and `*.json` beside their
//! `*.stderr`.
//!
//! A first comment `# arguments: a=1 b=2` gives arguments, where `_` stands for a space. Files
//! whose names differ after the first dot (`a.1.yaml`, `a.2.yaml`) are the layers of one case. Run with
//! `UPDATE=1` to write what is expected, then read the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use banlieue_gen::diagnostic::{codes, render};
use banlieue_gen::load::{Loaded, Source, load};

use super::fleet::Fleet;
use super::schema;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/input-errors")
}

/// The inputs by the name of the case.
fn cases() -> BTreeMap<String, Vec<PathBuf>> {
    let mut cases: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().unwrap() != "stderr" {
            let file = path.file_name().unwrap().to_str().unwrap();
            let name = file.split('.').next().unwrap();
            cases.entry(name.to_owned()).or_default().push(path);
        }
    }
    cases
}

fn output(paths: &mut [PathBuf]) -> String {
    paths.sort();
    let mut arguments = BTreeMap::new();
    let mut sources = Vec::new();
    for path in paths {
        let text = fs::read(&*path).unwrap();
        let lossy = String::from_utf8_lossy(&text);
        let first = lossy.lines().next().unwrap_or_default();
        for pair in first
            .strip_prefix("# arguments: ")
            .unwrap_or_default()
            .split_whitespace()
        {
            let (key, value) = pair.split_once('=').unwrap();
            arguments.insert(key.to_owned(), value.replace('_', " "));
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        sources.push(Source::new(name, text.clone()));
    }
    let result: Result<Loaded<Fleet>, _> = load(&sources, &schema(), &arguments);
    let found = match result {
        Ok(loaded) => loaded.warnings,
        Err(problems) => problems,
    };
    render::text(&found, &render::Styles::PLAIN)
}

#[test]
fn messages_read_as_agreed() {
    let mut different = Vec::new();
    for (name, mut paths) in cases() {
        let expected = folder().join(format!("{name}.stderr"));
        let output = output(&mut paths);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &output).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != output {
            different.push(format!("--- {name}\n{output}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn every_message_says_what_to_do() {
    for (name, mut paths) in cases() {
        let output = output(&mut paths);
        let messages = output.matches("error[").count() + output.matches("warning[").count();
        assert!(messages > 0, "{name} is accepted");
        assert_eq!(
            output.matches("= hint: ").count(),
            messages,
            "{name}:\n{output}"
        );
    }
}

#[test]
fn every_code_has_a_case() {
    // Needs files that are not there, or too large for a repository: see the module `reading`.
    let elsewhere = ["BL0101", "BL0102", "BL0112"];
    let outputs: String = cases()
        .into_values()
        .map(|mut paths| output(&mut paths))
        .collect();
    let missing: BTreeSet<&str> = codes::ALL
        .iter()
        .map(|code| code.id)
        .filter(|id| !outputs.contains(id) && !elsewhere.contains(id))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
