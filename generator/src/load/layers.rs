//! Merges the layers of a fleet.
//!
//! | a later layer writes | over a map | over a scalar or list | over nothing |
//! |---|---|---|---|
//! | a map | merges, key by key | error | adds |
//! | a scalar or list | error | replaces | adds |
//! | null or nothing | removes the key | removes the key | error |
//!
//! An empty text, an empty list, an empty map, `0` and `false` are values like any other. The
//! result holds no null.

use super::node::{Entry, Map, Node, Path, Value};
use super::problems::Problems;
use crate::diagnostic::{Diagnostic, codes, shown};

/// What every layer says at its top.
const HEADER: [(&str, &str); 2] = [
    ("apiVersion", "gen.banlieue.io/v1alpha1"),
    ("kind", "Fleet"),
];

/// The fleet that the layers make in their order, or none when there is no layer.
pub fn merge(layers: Vec<Node>, problems: &mut Problems) -> Option<Node> {
    let mut merged: Option<Node> = None;
    for layer in layers {
        let Node { at, value } = layer;
        let Value::Map(entries) = value else {
            problems.push(
                Diagnostic::error(&codes::NO_FLEET, "the document is not a map")
                    .at(at)
                    .hint("start it with `apiVersion: gen.banlieue.io/v1alpha1` and `kind: Fleet`"),
            );
            continue;
        };
        let node = Node {
            at,
            value: Value::Map(entries),
        };
        check_header(&node, problems);
        let base = merged.get_or_insert_with(|| Node {
            at: node.at.clone(),
            value: Value::Map(Map::default()),
        });
        if let (Value::Map(base), Value::Map(entries)) = (&mut base.value, node.value) {
            overlay(base, entries, &Path::Root, problems);
        }
    }
    merged
}

fn check_header(layer: &Node, problems: &mut Problems) {
    let Some(entries) = layer.as_map() else {
        return;
    };
    for (field, expected) in HEADER {
        let problem = match entries.get(field) {
            None => Diagnostic::error(&codes::WRONG_KIND, format!("the document has no `{field}`"))
                .at(layer.at.clone()),
            Some(Entry { node, .. }) => match &node.value {
                Value::Scalar(scalar) if scalar.as_written() == Some(expected) => continue,
                _ => Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("the document's `{field}` is not that of a fleet"),
                )
                .at(node.at.clone())
                .path(field),
            },
        };
        problems.push(problem.hint(format!("write `{field}: {expected}`")));
    }
}

fn overlay(base: &mut Map, layer: Map, parent: &Path<'_>, problems: &mut Problems) {
    let mut added = Vec::new();
    for mut entry in layer.into_entries() {
        let path = parent.key(&entry.key);
        if entry.node.is_null() {
            if base.remove(&entry.key).is_none() {
                problems.push(removes_nothing(base, &entry, &path));
            }
            continue;
        }
        let Some(existing) = base.get_mut(&entry.key) else {
            entry.node = settle(entry.node, &path, problems);
            added.push(entry);
            continue;
        };
        match (&mut existing.node.value, entry.node.value) {
            (Value::Map(base), Value::Map(layer)) => overlay(base, layer, &path, problems),
            (Value::Scalar(_) | Value::List(_), value @ (Value::Scalar(_) | Value::List(_))) => {
                let node = Node {
                    value,
                    at: entry.node.at,
                };
                existing.node = settle(node, &path, problems);
                existing.key_at = entry.key_at;
            }
            (_, value) => {
                let node = Node {
                    value,
                    at: entry.node.at,
                };
                problems.push(clash(&existing.node, &node, &path));
            }
        }
    }
    if !added.is_empty() {
        base.extend(added);
    }
}

/// A value that merges with nothing: every null in it is a mistake.
fn settle(node: Node, path: &Path<'_>, problems: &mut Problems) -> Node {
    let value = match node.value {
        Value::Scalar(scalar) => Value::Scalar(scalar),
        Value::Map(entries) => {
            let mut settled = Map::default();
            overlay(&mut settled, entries, path, problems);
            Value::Map(settled)
        }
        Value::List(items) => {
            let mut settled = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                let path = path.index(index);
                if item.is_null() {
                    problems.push(
                        Diagnostic::error(&codes::NULL_IN_LIST, "the list entry is null or empty")
                            .at(item.at)
                            .path(path.to_string())
                            .hint("delete it, or write its value; `\"\"` is an empty text"),
                    );
                } else {
                    settled.push(settle(item, &path, problems));
                }
            }
            Value::List(settled)
        }
    };
    Node { at: node.at, value }
}

fn removes_nothing(base: &Map, entry: &Entry, path: &Path<'_>) -> Diagnostic {
    let key = &entry.key;
    let problem = Diagnostic::error(
        &codes::REMOVES_NOTHING,
        format!(
            "{} is null or empty, and there is nothing to remove",
            shown(key)
        ),
    )
    .at(entry.key_at.clone())
    .path(path.to_string())
    .hint_nearest(key, base.keys());
    if problem.hint.is_some() {
        return problem;
    }
    problem.hint(
        "delete the line, or write the value: `{}` is an empty map, `[]` an empty list, `\"\"` an \
         empty text",
    )
}

fn clash(earlier: &Node, later: &Node, path: &Path<'_>) -> Diagnostic {
    let (from, to) = (earlier.kind(), later.kind());
    Diagnostic::error(
        &codes::LAYER_CLASH,
        format!(
            "{} is {from} in an earlier layer, and {to} here",
            shown(&path.to_string())
        ),
    )
    .at(later.at.clone())
    .path(path.to_string())
    .related(format!("{from} here"), earlier.at.clone())
    .hint("write the same kind of value in both; `null` in a layer between removes the earlier one")
}
