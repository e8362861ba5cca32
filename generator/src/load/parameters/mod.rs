//! The fleet's parameters: gives each its value, and puts the values where they are referred to.

mod declaration;
mod references;

use std::collections::BTreeMap;

use self::declaration::{Declaration, Declared};
use self::references::{Replacer, Values};
use super::node::{Entry, Node, Path, Value};
use super::problems::Problems;
use super::shape;
use crate::diagnostic::{Diagnostic, codes, nearest, shown};

/// Arguments that select what is rendered; they are not parameters.
pub const RESERVED: [&str; 3] = ["tier", "cluster", "site"];

/// The field of the fleet that holds the declarations.
const FIELD: &str = "parameters";

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
    // Kept aside, so that what is written in declarations is not replaced.
    let field = fields.remove(FIELD);
    let declarations = match &field {
        Some(entry) => declarations(entry, schema, problems),
        None => Some(BTreeMap::new()),
    };
    let mut warnings = Vec::new();
    // Without readable declarations every reference would look unknown.
    if let Some(declarations) = declarations {
        let entries = field.as_ref().and_then(|entry| entry.node.as_map());
        let declared: Vec<Declared<'_>> = declarations
            .iter()
            .filter_map(|(name, declaration)| {
                let entry = entries?.get(name)?;
                Some(Declared {
                    name,
                    entry,
                    declaration,
                })
            })
            .collect();
        let values: Values = declared
            .iter()
            .map(|declared| {
                let argument = arguments.get(declared.name).map(String::as_str);
                let value = declared.value(argument, problems);
                (declared.name.to_owned(), value)
            })
            .collect();
        refuse_unknown_arguments(arguments, &values, problems);
        let mut replacer = Replacer::new(&values);
        replacer.node(root, &Path::Root, problems);
        let unused = declared
            .iter()
            .filter(|declared| !replacer.used.contains(declared.name));
        warnings.extend(unused.map(Declared::unused));
    }
    if let (Some(field), Value::Map(fields)) = (field, &mut root.value) {
        fields.extend(vec![field]);
    }
    warnings
}

/// None when the declarations do not have their shape, which is then reported.
fn declarations(
    entry: &Entry,
    schema: &shape::Document<'_>,
    problems: &mut Problems,
) -> Option<BTreeMap<String, Declaration>> {
    let found = problems.len();
    references::refuse(&entry.node, &Path::Root.key(FIELD), problems);
    let json = shape::check_entry(entry, schema, problems);
    if problems.len() > found {
        return None;
    }
    serde_json::from_value(json)
        .map_err(|error| {
            problems.push(
                Diagnostic::error(&codes::PARAMETER_DECLARATION, error.to_string())
                    .at(entry.key_at.clone())
                    .path(FIELD)
                    .hint("a parameter needs a `type`: string, integer or boolean"),
            );
        })
        .ok()
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
        let declared = values.keys().map(String::as_str);
        let names: Vec<&str> = declared.chain(RESERVED).collect();
        let message = format!("the argument {} names no parameter", shown(key));
        let hint = match nearest(key, names.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the arguments are {}", names.join(", ")),
        };
        problems.push(Diagnostic::error(&codes::UNKNOWN_ARGUMENT, message).hint(hint));
    }
}
