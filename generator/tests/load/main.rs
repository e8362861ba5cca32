//! The input side as a user meets it: files in, a value or messages out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod fleet;
mod golden;
mod limits;
mod meaning;
mod merge;
mod reading;
mod shape;

use std::collections::BTreeMap;

use banlieue_gen::diagnostic::Diagnostic;
use banlieue_gen::load::{Loaded, Source, load};

use fleet::Fleet;

/// What every document starts with.
const HEADER: &str = "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\n";

fn schema() -> serde_json::Value {
    schemars::schema_for!(Fleet).to_value()
}

fn load_sources(
    sources: &[Source],
    arguments: &[(&str, &str)],
) -> Result<Loaded<Fleet>, Vec<Diagnostic>> {
    let arguments: BTreeMap<String, String> = arguments
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    load(sources, &schema(), &arguments)
}

/// Loads one YAML document, given without its header.
fn load_body(body: &str) -> Result<Loaded<Fleet>, Vec<Diagnostic>> {
    load_sources(&[Source::new("fleet.yaml", format!("{HEADER}{body}"))], &[])
}

/// The codes of what went wrong.
fn codes<T>(result: Result<T, Vec<Diagnostic>>) -> Vec<&'static str> {
    let problems = result.err().unwrap_or_default();
    problems.iter().map(|problem| problem.code).collect()
}
