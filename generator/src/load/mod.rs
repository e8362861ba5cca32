//! Reads the fleet: texts, layers, parameters, shape, and at last the typed value.
//!
//! [`read`] is the only effect. [`load`] turns texts into a value and, where that fails, into
//! [`Diagnostic`]s: each stage reports all that it finds, and a stage runs only when the one
//! before found nothing.

mod builder;
mod json;
mod layers;
mod map;
pub mod node;
mod origins;
mod parameters;
mod problems;
pub mod scalar;
mod shape;
mod source;
mod yaml;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use self::builder::{Budget, File};
use self::node::Node;
use self::origins::Texts;
use self::problems::Problems;
use crate::diagnostic::{Diagnostic, codes};

pub use self::builder::{DEPTH_LIMIT, VALUE_LIMIT};
pub use self::origins::Origins;
pub use self::parameters::RESERVED as RESERVED_ARGUMENTS;
pub use self::source::{FILE_LIMIT, Format, Source, TOTAL_LIMIT, read};

/// A value and what is known about its input.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The typed value.
    pub value: T,
    /// Where its parts were written.
    pub origins: Origins,
    /// Findings that do not prevent rendering, in the order of their places.
    pub warnings: Vec<Diagnostic>,
    /// SHA-256, in hexadecimal, of the merged input in canonical JSON with parameters replaced:
    /// the same for inputs that mean the same, however they are split, ordered or commented.
    pub digest: String,
}

/// Merges the sources, replaces parameters, checks the result against `schema` and deserializes it.
///
/// `schema` is the JSON Schema (2020-12) of `T`. `arguments` are the `KEY=VALUE` pairs of the
/// command line; those of [`RESERVED_ARGUMENTS`] are accepted and ignored. Pure: the same input
/// gives the same result. Errors are in the order of their places, at most a thousand.
pub fn load<T: DeserializeOwned>(
    sources: &[Source],
    schema: &Value,
    arguments: &BTreeMap<String, String>,
) -> Result<Loaded<T>, Vec<Diagnostic>> {
    let mut texts = Texts::default();
    stages(sources, schema, arguments, &mut texts)
        .map(|mut stages| {
            texts.illustrate(&mut stages.warnings);
            Loaded {
                value: stages.value,
                warnings: stages.warnings,
                digest: stages.digest,
                origins: Origins {
                    root: stages.root,
                    texts: std::mem::take(&mut texts),
                },
            }
        })
        .map_err(|problems| {
            let mut problems = problems.into_sorted();
            texts.illustrate(&mut problems);
            problems
        })
}

/// Reads one document as plain JSON, as strictly as a fleet: no duplicate keys, and no plain
/// scalar that YAML readers disagree about.
///
/// # Errors
/// The first problem.
pub fn parse_value(name: &str, text: &str) -> Result<Value, Box<Diagnostic>> {
    let file = File(Arc::from(name));
    let mut problems = Problems::default();
    let documents = yaml::documents(&file, text, &mut Budget::default(), &mut problems);
    let free = Value::Bool(true);
    let schema = shape::Document::compile(&free);
    let values: Vec<Value> = documents
        .iter()
        .map(|root| shape::check(root, &schema, &mut problems))
        .collect();
    let found = problems.into_sorted().into_iter().next();
    match (found, <[Value; 1]>::try_from(values)) {
        (Some(problem), _) => Err(Box::new(problem)),
        (None, Ok([value])) => Ok(value),
        (None, Err(values)) => Err(Box::new(Diagnostic::error(
            &codes::NO_FLEET,
            format!("one document is wanted, there are {}", values.len()),
        ))),
    }
}

/// What the stages make, before the texts are added.
struct Stages<T> {
    value: T,
    root: Node,
    warnings: Vec<Diagnostic>,
    digest: String,
}

fn stages<T: DeserializeOwned>(
    sources: &[Source],
    schema: &Value,
    arguments: &BTreeMap<String, String>,
    texts: &mut Texts,
) -> Result<Stages<T>, Problems> {
    let mut problems = Problems::default();
    let layers = parse(sources, texts, &mut problems);
    let layers = unless(problems, layers)?;

    let mut problems = Problems::default();
    let merged = layers::merge(layers, &mut problems);
    let Some(mut root) = unless(problems, merged)? else {
        let mut problems = Problems::default();
        problems.push(
            Diagnostic::error(&codes::NO_FLEET, "the input holds no fleet document")
                .hint("start one with `apiVersion: gen.banlieue.io/v1alpha1` and `kind: Fleet`"),
        );
        return Err(problems);
    };

    let mut problems = Problems::default();
    let schema = shape::Document::compile(schema);
    let mut warnings = parameters::apply(&mut root, &schema, arguments, &mut problems);
    warnings.sort_by(|left, right| left.at.cmp(&right.at));
    let () = unless(problems, ())?;

    let mut problems = Problems::default();
    let json = shape::check(&root, &schema, &mut problems);
    let json = unless(problems, json)?;

    let digest = digest(&json);
    let value = deserialize(json, &root)?;
    Ok(Stages {
        value,
        root,
        warnings,
        digest,
    })
}

fn unless<T>(problems: Problems, value: T) -> Result<T, Problems> {
    if problems.is_empty() {
        Ok(value)
    } else {
        Err(problems)
    }
}

/// The documents of all sources, in order.
fn parse(sources: &[Source], texts: &mut Texts, problems: &mut Problems) -> Vec<Node> {
    let mut budget = Budget::default();
    let mut layers = Vec::new();
    for source in sources {
        let file = File(Arc::from(source.name.as_str()));
        let text = source.decode(&file).unwrap_or_else(|problem| {
            problems.push(*problem);
            texts.keep(
                file.0.clone(),
                String::from_utf8_lossy(&source.text).into_owned(),
            );
            Cow::Borrowed("")
        });
        match source.format {
            _ if text.is_empty() => {}
            Format::Json => layers.extend(json::document(&file, &text, &mut budget, problems)),
            Format::Yaml => layers.extend(yaml::documents(&file, &text, &mut budget, problems)),
        }
        texts.keep(file.0, text.into_owned());
    }
    layers
}

/// The last gate: rules that a type has and its schema does not show.
fn deserialize<T: DeserializeOwned>(json: Value, root: &Node) -> Result<T, Problems> {
    serde_path_to_error::deserialize(json).map_err(|error| {
        let path = error.path().to_string();
        let steps: Vec<String> = error
            .path()
            .iter()
            .map(|segment| match segment {
                serde_path_to_error::Segment::Seq { index } => index.to_string(),
                other => other.to_string(),
            })
            .collect();
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        let mut problems = Problems::default();
        problems.push(
            Diagnostic::error(&codes::REJECTED, error.inner().to_string())
                .at(origins::position(root, &steps))
                .path(path)
                .hint("change the value to what its type allows"),
        );
        problems
    })
}

/// Maps in a [`Value`] of the walk are in the order of their keys, so its JSON is canonical.
fn digest(json: &Value) -> String {
    let mut hexadecimal = String::new();
    for byte in Sha256::digest(json.to_string()) {
        // Writing to a String cannot fail.
        let _ = write!(hexadecimal, "{byte:02x}");
    }
    hexadecimal
}
