//! The fleet's parameters: declarations, and the values that the command line gives.

use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value as Json;

use super::node::{Entry, Map, Node, Path, Value};
use super::problems::Problems;
use super::references::{self, Replacer, Values, is_name};
use super::shape;
use crate::diagnostic::{Diagnostic, codes, nearest, shown};

/// Arguments that select what is rendered; they are not parameters.
pub const RESERVED: [&str; 3] = ["tier", "cluster", "site"];

/// The field that holds the declarations.
const FIELD: &str = "parameters";

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    String,
    Integer,
    Boolean,
}

/// What the fleet's type and this module must both know of a declaration.
#[derive(Debug, Deserialize)]
struct Declaration {
    r#type: Type,
    default: Option<Json>,
    r#enum: Option<Vec<Json>>,
    pattern: Option<String>,
}

/// Gives every parameter its value and replaces the references to it.
///
/// Arguments named in [`RESERVED`] are left to the caller. Returns warnings.
pub fn apply(
    root: &mut Node,
    schema: &shape::Document<'_>,
    arguments: &BTreeMap<String, String>,
    problems: &mut Problems,
) -> Vec<Diagnostic> {
    let Value::Map(fields) = &mut root.value else {
        return Vec::new();
    };
    // Put back below; kept aside so that its own texts are not replaced.
    let declared = fields.remove(FIELD);
    let values = match &declared {
        Some(entry) => values(entry, schema, arguments, problems),
        None => Some(Values::new()),
    };
    let mut warnings = Vec::new();
    // Without declarations that can be read every reference would look unknown.
    if let Some(values) = values {
        refuse_unknown_arguments(arguments, &values, problems);
        let mut replacer = Replacer::new(&values);
        replacer.node(root, &Path::Root, problems);
        if let Some(names) = declared.as_ref().and_then(|entry| entry.node.as_map()) {
            let unused = names
                .iter()
                .filter(|(name, _)| !replacer.used.contains(name.as_str()));
            warnings.extend(unused.map(|(name, entry)| unused_warning(name, entry)));
        }
    }
    if let (Some(declared), Value::Map(fields)) = (declared, &mut root.value) {
        fields.insert(FIELD.to_owned(), declared);
    }
    warnings
}

fn unused_warning(name: &str, entry: &Entry) -> Diagnostic {
    Diagnostic::warning(
        &codes::UNUSED_PARAMETER,
        format!("no value refers to the parameter {}", shown(name)),
    )
    .at(entry.key_at.clone())
    .path(Path::Root.key(FIELD).key(name).to_string())
    .hint(format!(
        "write `${{{{ {name} }}}}` where it is meant, or remove it"
    ))
}

/// None when the declarations do not have their shape, which is then reported.
fn values(
    entry: &Entry,
    schema: &shape::Document<'_>,
    arguments: &BTreeMap<String, String>,
    problems: &mut Problems,
) -> Option<Values> {
    let found = problems.len();
    let path = Path::Root.key(FIELD);
    references::refuse(&entry.node, &path, "a declaration", problems);
    let json = shape::check_entry(FIELD, entry, schema, problems);
    if problems.len() > found {
        return None;
    }
    let declarations: BTreeMap<String, Declaration> = match serde_json::from_value(json) {
        Ok(declarations) => declarations,
        Err(error) => {
            problems.push(
                Diagnostic::error(&codes::PARAMETER_DECLARATION, error.to_string())
                    .at(entry.key_at.clone())
                    .path(FIELD),
            );
            return None;
        }
    };
    let nothing = Map::new();
    let entries = entry.node.as_map().unwrap_or(&nothing);
    let values = declarations.iter().map(|(name, declaration)| {
        let path = path.key(name);
        let value = Declared {
            name,
            entry: entries.get(name)?,
            path: &path,
            declaration,
        }
        .value(arguments.get(name), problems);
        Some((name.clone(), value))
    });
    values.collect()
}

/// One declaration and its place.
struct Declared<'a> {
    name: &'a str,
    entry: &'a Entry,
    path: &'a Path<'a>,
    declaration: &'a Declaration,
}

impl Declared<'_> {
    fn value(&self, argument: Option<&String>, problems: &mut Problems) -> Option<Json> {
        let found = problems.len();
        let pattern = self.check(problems);
        if problems.len() > found {
            return None;
        }
        let Some(argument) = argument else {
            if self.declaration.default.is_none() {
                let name = self.name;
                let message = format!("the parameter {} has no value", shown(name));
                problems.push(
                    Diagnostic::error(&codes::MISSING_ARGUMENT, message)
                        .at(self.entry.key_at.clone())
                        .path(self.path.to_string())
                        .hint(format!(
                            "add `{name}=VALUE` to the command, or a `default` here"
                        )),
                );
            }
            return self.declaration.default.clone();
        };
        let value = self.declaration.r#type.parse(argument).ok_or_else(|| {
            format!(
                "{} is not {}",
                shown(argument),
                self.declaration.r#type.describe()
            )
        });
        let checked =
            value.and_then(|value| self.unfit(&value, pattern.as_ref()).map_or(Ok(value), Err));
        match checked {
            Ok(value) => Some(value),
            Err(reason) => {
                let message = format!("the argument `{}`: {reason}", self.name);
                let problem = Diagnostic::error(&codes::ARGUMENT_VALUE, message)
                    .path(self.path.to_string())
                    .related("the parameter is declared here", self.entry.key_at.clone());
                let words = self.declaration.r#enum.iter().flatten();
                problems.push(problem.hint_nearest(argument, words.filter_map(Json::as_str)));
                None
            }
        }
    }

    /// Checks the declaration itself; returns its pattern.
    fn check(&self, problems: &mut Problems) -> Option<Regex> {
        let name = self.name;
        if RESERVED.contains(&name) {
            let message = format!("{} selects what is rendered", shown(name));
            problems.push(
                self.wrong(None, message)
                    .hint("give the parameter another name"),
            );
        } else if !is_name(name) {
            let message = format!("{} is not a name for a parameter", shown(name));
            let hint = "start with a letter and use letters, digits, `-` and `_`";
            problems.push(self.wrong(None, message).hint(hint));
        }
        let kind = self.declaration.r#type;
        let pattern = self.declaration.pattern.as_deref().and_then(|pattern| {
            if !matches!(kind, Type::String) {
                let message = "a pattern is for texts only";
                problems.push(self.wrong(Some("pattern"), message));
            }
            Regex::new(pattern)
                .map_err(|_| {
                    let message = format!("{} is not a regular expression", shown(pattern));
                    problems.push(self.wrong(Some("pattern"), message));
                })
                .ok()
        });
        for value in self.declaration.r#enum.iter().flatten() {
            if !kind.has(value) {
                let message = format!("{} is not {}", shown(&value.to_string()), kind.describe());
                problems.push(self.wrong(Some("enum"), message));
            }
        }
        if let Some(default) = &self.declaration.default
            && let Some(reason) = self.unfit(default, pattern.as_ref())
        {
            problems.push(self.wrong(Some("default"), reason));
        }
        pattern
    }

    /// Why a value does not fit the declaration.
    fn unfit(&self, value: &Json, pattern: Option<&Regex>) -> Option<String> {
        let declaration = self.declaration;
        let found = match value {
            Json::String(text) => shown(text),
            other => shown(&other.to_string()),
        };
        if !declaration.r#type.has(value) {
            return Some(format!("{found} is not {}", declaration.r#type.describe()));
        }
        if let Some(allowed) = &declaration.r#enum
            && !allowed.contains(value)
        {
            let names: Vec<String> = allowed.iter().map(Json::to_string).collect();
            return Some(format!("{found} is not one of: {}", names.join(", ")));
        }
        match (pattern, value) {
            (Some(pattern), Json::String(text)) if !pattern.is_match(text) => {
                Some(format!("{found} does not match `{pattern}`"))
            }
            _ => None,
        }
    }

    fn wrong(&self, field: Option<&str>, message: impl Into<String>) -> Diagnostic {
        let entry = field
            .and_then(|field| self.entry.node.as_map()?.get(field))
            .unwrap_or(self.entry);
        let path = match field {
            Some(field) => self.path.key(field).to_string(),
            None => self.path.to_string(),
        };
        Diagnostic::error(&codes::PARAMETER_DECLARATION, message)
            .at(entry.key_at.clone())
            .path(path)
    }
}

impl Type {
    fn parse(self, text: &str) -> Option<Json> {
        match self {
            Self::String => Some(Json::from(text)),
            Self::Integer => text.parse::<i64>().ok().map(Json::from),
            Self::Boolean => text.parse::<bool>().ok().map(Json::from),
        }
    }

    fn has(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64(),
            Self::Boolean => value.is_boolean(),
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Self::String => "text",
            Self::Integer => "an integer",
            Self::Boolean => "true or false",
        }
    }
}

fn refuse_unknown_arguments(
    arguments: &BTreeMap<String, String>,
    values: &Values,
    problems: &mut Problems,
) {
    for key in arguments.keys() {
        if values.contains_key(key) || RESERVED.contains(&key.as_str()) {
            continue;
        }
        let names = || {
            RESERVED
                .into_iter()
                .chain(values.keys().map(String::as_str))
        };
        let problem = Diagnostic::error(
            &codes::UNKNOWN_ARGUMENT,
            format!("the argument {} names no parameter", shown(key)),
        );
        problems.push(match nearest(key, names()) {
            Some(name) => problem.hint(format!("did you mean `{name}`?")),
            None => problem.hint(format!(
                "the arguments are {}",
                names().collect::<Vec<_>>().join(", ")
            )),
        });
    }
}
