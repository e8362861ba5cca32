//! `check` as a user meets it: a fleet and templates in, findings with places and hints out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod clean;
mod command;
mod objects;
mod objects_cases;
mod plan_cases;
mod relations_cases;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use banlieue_gen::{
    check::{self, kinds::Kinds},
    diagnostic::Diagnostic,
    load::{Source, load},
    plan::{self, Problem, Selection},
    render::{Context, templates::Templates},
};
use banlieue_schemas::fleet::Fleet;
use rayon::prelude::*;
use serde_json::Value;

pub const EXAMPLE: &str = include_str!("../../../examples/fleet/fleet.yaml");
/// Stands for a place in a layer.
const MARK: char = '§';
static KINDS: LazyLock<Kinds> = LazyLock::new(|| Kinds::compile().unwrap());
static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Fleet).to_value());
const HEADER: &str = "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\n";

/// One fault, and what is said about it.
struct Case {
    /// Codes of all findings, in their order.
    codes: &'static [&'static str],
    /// What to select.
    select: &'static str,
    /// A layer over the example. [`MARK`] is at the place of the last finding, and is removed;
    /// without it the finding has no place.
    layer: &'static str,
    /// Templates of the user's own: name and text.
    templates: &'static [(&'static str, &'static str)],
    /// Part of the message of the last finding.
    message: &'static str,
    /// Part of its hint.
    hint: &'static str,
}

/// The findings of a layer over the example.
fn check(layer: &str, templates: &[(&str, &str)], select: &str) -> Vec<Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in templates {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let sources = [
        Source::new("example.yaml", EXAMPLE),
        Source::new("layer.yaml", format!("{HEADER}{layer}")),
    ];
    run(&sources, folder.path(), select)
}

fn run(sources: &[Source], folder: &Path, select: &str) -> Vec<Diagnostic> {
    let loaded = load::<Fleet>(sources, &SCHEMA, &BTreeMap::new()).unwrap();
    let pairs = select.split_whitespace().map(|pair| {
        let (key, value) = pair.split_once('=').unwrap();
        (key.to_owned(), value.to_owned())
    });
    let plan = match planned(&loaded.value, &Selection::take(&mut pairs.collect())) {
        Ok(plan) => plan,
        Err(problems) => {
            let located = problems.into_iter().map(|p| p.locate(&loaded.origins));
            return located.collect();
        }
    };
    let templates = Templates::with_folder(folder).unwrap();
    let context = Context {
        fleet: &loaded.value,
        templates: &templates,
    };
    let report = check::run(context, &plan, &KINDS, &|| {}).unwrap();
    report.locate(&loaded.origins)
}

fn planned(fleet: &Fleet, selection: &Selection) -> Result<plan::Plan, Vec<Problem>> {
    let problems = selection.check(fleet);
    if !problems.is_empty() {
        return Err(problems);
    }
    plan::plan(fleet, selection)
}

/// Line and column of the mark, in the file as it is loaded.
fn mark(layer: &str) -> Option<(u32, u32)> {
    let before = layer.split_once(MARK)?.0;
    let text = format!("{HEADER}{before}");
    let line = text.lines().count() + usize::from(text.ends_with('\n'));
    let column = text.rsplit('\n').next().unwrap().chars().count() + 1;
    Some((u32::try_from(line).unwrap(), u32::try_from(column).unwrap()))
}

impl Case {
    fn verdict(&self) -> Result<(), String> {
        let found = check(&self.layer.replace(MARK, ""), self.templates, self.select);
        let codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
        if codes != self.codes {
            return Err(format!("{:?}: found {found:#?}", self.codes));
        }
        let last = found.last().ok_or("nothing found")?;
        let place = last.at.as_ref();
        let place = place.map(|at| (&*at.file, (at.line, at.column)));
        if place != mark(self.layer).map(|at| ("layer.yaml", at)) {
            return Err(format!(
                "{:?}: at {:?} ({})",
                self.codes, last.at, last.path
            ));
        }
        let hint = last.hint.as_deref().unwrap_or_default();
        if !last.message.contains(self.message) || !hint.contains(self.hint) {
            return Err(format!("{:?}: {} / {hint}", self.codes, last.message));
        }
        Ok(())
    }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    let of_objects = objects_cases::CASES.iter().chain(relations_cases::CASES);
    of_objects.chain(plan_cases::CASES)
}

#[test]
fn each_fault_is_found_at_its_place_with_a_remedy() {
    let cases: Vec<&Case> = cases().collect();
    let wrong: Vec<String> = cases
        .par_iter()
        .filter_map(|case| case.verdict().err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_code_is_without_a_case() {
    let covered: BTreeSet<&str> = cases().flat_map(|case| case.codes).copied().collect();
    let all = check::codes::ALL.iter().chain(plan::codes::ALL);
    let all: BTreeSet<&str> = all.map(|code| code.id).collect();
    assert_eq!(covered, all);
}
