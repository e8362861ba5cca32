//! A YAML writer with one output for one value.
//!
//! Manifests are read by Go (Flux, Argo CD, kubectl), which follows YAML 1.1 for many scalars,
//! and by tools that follow YAML 1.2. The writer leaves a string unquoted only where both take
//! it for the same string; `scalar.rs` has the rule. Keys are sorted, which for Kubernetes objects
//! gives `apiVersion`, `kind`, `metadata`, `spec`. Lists start at the column of their key, the
//! way kubectl prints them.

mod scalar;

use serde::Serialize;
use serde_json::{Map, Value};

/// Both readers of interest stop looking for the `:` of a plain `key: value` after 1024
/// characters; longer keys need the explicit `? key` form.
const LONGEST_SIMPLE_KEY: usize = 1000;

const STEP: usize = 2;

/// Indentation, copied as a whole instead of character by character.
const SPACES: &str = "                                ";

/// Serialises any value. The error is the value's own: a map key that is not a string, or a
/// `Serialize` implementation that fails.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let value = serde_json::to_value(value)?;
    let mut out = String::new();
    write(&value, &mut out);
    Ok(out)
}

/// Appends one document, which ends with a line break, without a `---` line.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => mapping(map, 0, out),
        Value::Array(items) if !items.is_empty() => sequence(items, 0, out),
        leaf => {
            scalar::write(leaf, 0, out);
            end_line(out);
        }
    }
}

/// Writes the entries at `column`; the cursor already stands there for the first one.
fn mapping(map: &Map<String, Value>, column: usize, out: &mut String) {
    if map.keys().is_sorted() {
        entries(map.iter(), column, out);
    } else {
        let mut sorted: Vec<_> = map.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        entries(sorted.into_iter(), column, out);
    }
}

fn entries<'a>(
    entries: impl Iterator<Item = (&'a String, &'a Value)>,
    column: usize,
    out: &mut String,
) {
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            indent(column, out);
        }
        write_key(key, column, out);
        match value {
            Value::Object(map) if !map.is_empty() => {
                out.push('\n');
                indent(column + STEP, out);
                mapping(map, column + STEP, out);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                indent(column, out);
                sequence(items, column, out);
            }
            leaf => {
                out.push(' ');
                scalar::write(leaf, column, out);
                end_line(out);
            }
        }
    }
}

fn write_key(key: &str, column: usize, out: &mut String) {
    let start = out.len();
    scalar::key(key, out);
    if out.len() - start > LONGEST_SIMPLE_KEY {
        out.insert_str(start, "? ");
        out.push('\n');
        indent(column, out);
    }
    out.push(':');
}

/// Writes the items at `column`; the cursor already stands there for the first one.
fn sequence(items: &[Value], column: usize, out: &mut String) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            indent(column, out);
        }
        out.push_str("- ");
        match item {
            Value::Object(map) if !map.is_empty() => mapping(map, column + STEP, out),
            Value::Array(items) if !items.is_empty() => sequence(items, column + STEP, out),
            leaf => {
                scalar::write(leaf, column, out);
                end_line(out);
            }
        }
    }
}

fn indent(column: usize, out: &mut String) {
    let mut left = column;
    while left > 0 {
        let part = left.min(SPACES.len());
        out.push_str(&SPACES[..part]);
        left -= part;
    }
}

/// A block scalar already ends with the line break that belongs to its text.
fn end_line(out: &mut String) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests;
