//! References to parameters in values: `${{ name }}`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::diagnostic::{Diagnostic, codes, nearest, shown};
use crate::load::node::{Map, Node, Path, Value};
use crate::load::problems::Problems;
use crate::load::scalar::Scalar;
use crate::load::source::TOTAL_LIMIT;

const OPEN: &str = "${{";
const CLOSE: &str = "}}";

/// The values of parameters by name; none for one whose value is a problem already reported.
pub type Values = BTreeMap<String, Option<Json>>;

/// Whether a parameter may have the name: a letter, then letters, digits, `-` and `_`.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Replaces references in all values of a map, and remembers which parameters are used.
///
/// A value that is one reference and nothing else takes the type of the parameter; otherwise the
/// parameter is written into the text. `$${{` becomes `${{`. What a parameter brings in is not
/// read again.
#[derive(Debug)]
pub struct Replacer<'a> {
    /// The parameters.
    pub values: &'a Values,
    /// Those that some value refers to.
    pub used: BTreeSet<&'a str>,
    /// Bytes of text that references may still produce.
    left: usize,
}

impl<'a> Replacer<'a> {
    /// A replacer that has met no reference.
    pub fn new(values: &'a Values) -> Self {
        Self {
            values,
            used: BTreeSet::new(),
            left: TOTAL_LIMIT,
        }
    }

    /// Replaces in the entry's values. Keys with references are problems.
    pub fn node(&mut self, node: &mut Node, path: &Path<'_>, problems: &mut Problems) {
        match &mut node.value {
            Value::Map(entries) => self.entries(entries, path, problems),
            Value::List(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.node(item, &path.index(index), problems);
                }
            }
            Value::Scalar(scalar) => {
                let Some(text) = scalar.as_written().filter(|text| text.contains(OPEN)) else {
                    return;
                };
                match self.expand(text) {
                    Ok(replaced) => *scalar = replaced,
                    Err(problem) => {
                        problems.push(problem.at(node.at.clone()).path(path.to_string()));
                    }
                }
            }
        }
    }

    fn entries(&mut self, entries: &mut Map, path: &Path<'_>, problems: &mut Problems) {
        for entry in entries.iter_mut() {
            let path = path.key(&entry.key);
            if entry.key.contains(OPEN) {
                problems.push(
                    misplaced("a key")
                        .at(entry.key_at.clone())
                        .path(path.to_string()),
                );
            }
            self.node(&mut entry.node, &path, problems);
        }
    }

    fn expand(&mut self, text: &str) -> Result<Scalar, Box<Diagnostic>> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            if let Some(before) = before.strip_suffix('$') {
                expanded.push_str(before);
                expanded.push_str(OPEN);
                rest = after;
                continue;
            }
            expanded.push_str(before);
            let Some((name, after)) = after.split_once(CLOSE) else {
                return Err(malformed("the reference `${{` is not closed"));
            };
            let value = self.look_up(name.trim())?;
            if rest.len() == text.len() && before.is_empty() && after.is_empty() {
                return Ok(typed(value));
            }
            let written = match value {
                Some(Json::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            self.left = self
                .left
                .checked_sub(written.len())
                .ok_or_else(|| Box::new(too_large()))?;
            expanded.push_str(&written);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(Scalar::Text(expanded))
    }

    fn look_up(&mut self, name: &str) -> Result<Option<&'a Json>, Box<Diagnostic>> {
        if let Some((name, value)) = self.values.get_key_value(name) {
            self.used.insert(name);
            return Ok(value.as_ref());
        }
        if name.is_empty() {
            return Err(malformed("the reference names no parameter"));
        }
        let name_shown = shown(name);
        if !is_name(name) {
            return Err(malformed(format!(
                "{name_shown} is not the name of a parameter"
            )));
        }
        let problem = Diagnostic::error(
            &codes::UNKNOWN_PARAMETER,
            format!("there is no parameter {name_shown}"),
        );
        Err(Box::new(
            match nearest(name, self.values.keys().map(String::as_str)) {
                Some(nearest) => problem.hint(format!("did you mean `{nearest}`?")),
                None => problem
                    .hint("declare it under `parameters`, or write `$${{` for a literal `${{`"),
            },
        ))
    }
}

fn malformed(message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::REFERENCE_SYNTAX, message)
            .hint("write `${{ name }}`, or `$${{` for a literal `${{`"),
    )
}

fn too_large() -> Diagnostic {
    let mebibytes = TOTAL_LIMIT >> 20;
    Diagnostic::error(
        &codes::TOO_LARGE,
        format!("parameters write more than {mebibytes} MiB into the fleet"),
    )
    .hint("refer to a Secret or a ConfigMap for large texts")
}

/// Reports the references in declarations, where they are not replaced.
pub fn refuse(node: &Node, path: &Path<'_>, problems: &mut Problems) {
    match &node.value {
        Value::Scalar(scalar) => {
            if scalar.as_written().is_some_and(|text| text.contains(OPEN)) {
                problems.push(
                    misplaced("a declaration")
                        .at(node.at.clone())
                        .path(path.to_string()),
                );
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                refuse(item, &path.index(index), problems);
            }
        }
        Value::Map(entries) => {
            for entry in entries.iter() {
                refuse(&entry.node, &path.key(&entry.key), problems);
            }
        }
    }
}

fn misplaced(what: &str) -> Diagnostic {
    Diagnostic::error(
        &codes::REFERENCE_PLACE,
        format!("a reference `${{{{ }}}}` is not replaced in {what}"),
    )
    .hint("write the text itself; references are replaced in the values of all other fields")
}

fn typed(value: Option<&Json>) -> Scalar {
    match value {
        Some(Json::Bool(value)) => Scalar::Bool(*value),
        Some(Json::Number(number)) => Scalar::Number(number.clone()),
        Some(Json::String(text)) => Scalar::Text(text.clone()),
        _ => Scalar::Text(String::new()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn values() -> Values {
        [
            ("name", json!("gold")),
            ("count", json!(3)),
            ("on", json!(true)),
        ]
        .map(|(name, value)| (name.to_owned(), Some(value)))
        .into()
    }

    fn expand(text: &str) -> Scalar {
        Replacer::new(&values()).expand(text).unwrap()
    }

    #[test]
    fn a_lone_reference_keeps_the_type_of_its_parameter() {
        assert_eq!(expand("${{ count }}"), Scalar::Number(3.into()));
        assert_eq!(expand("${{on}}"), Scalar::Bool(true));
        assert_eq!(expand("${{ name }}"), Scalar::Text("gold".into()));
    }

    #[test]
    fn a_reference_among_other_text_is_written_into_it() {
        for (text, expected) in [
            ("x-${{ count }}", "x-3"),
            ("${{ name }}-${{ on }}.", "gold-true."),
            ("${{ name }}${{ name }}", "goldgold"),
            ("${{ count }}\n", "3\n"),
            ("$${{ name }}", "${{ name }}"),
            ("$$${{ name }}", "$${{ name }}"),
            ("${VM} $${VM} ${{ count }}", "${VM} $${VM} 3"),
        ] {
            assert_eq!(expand(text), Scalar::Text(expected.into()), "{text}");
        }
    }

    #[test]
    fn a_malformed_or_unknown_reference_is_refused() {
        let values = values();
        for (text, code) in [
            ("${{ name", "BL0207"),
            ("${{ }}", "BL0207"),
            ("${{ name | upper }}", "BL0207"),
            ("${{ nmae }}", "BL0206"),
        ] {
            let problem = Replacer::new(&values).expand(text).unwrap_err();
            assert_eq!(problem.code, code, "{text}");
        }
    }

    #[test]
    fn references_cannot_blow_up_the_input() {
        let large = "x".repeat(TOTAL_LIMIT / 2);
        let values: Values = [("large".to_owned(), Some(json!(large)))].into();
        let problem = Replacer::new(&values)
            .expand("${{ large }}${{ large }}${{ large }}")
            .unwrap_err();
        assert_eq!(problem.code, "BL0102");
    }
}
