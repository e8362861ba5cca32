//! Checks the merged input against the JSON Schema of its type and makes a JSON value of it.
//!
//! An own walk instead of a general validator: every problem must point at the place to edit, and
//! the schema has to decide what a plain scalar is. All problems are reported, not just the first.
//!
//! Stricter than JSON Schema in one point: an object with `properties` is closed unless
//! `additionalProperties` opens it, because a field that nobody reads is a typo.
//!
//! Fields that `serde(flatten)` takes from an enum are not supported: such a type cannot refuse
//! unknown fields, so the input has none.

mod alternatives;
mod collections;
mod limits;
mod scalars;
mod schema;
mod types;

use std::collections::HashMap;

use regex::Regex;
use serde_json::Value;

pub use self::schema::Document;
use self::schema::Schema;
use super::node::{self, Node, Path};
use super::problems::Problems;
use crate::diagnostic::{Code, Diagnostic, Position};

/// The JSON value of the tree. Meaningless where a problem was found.
pub fn check(root: &Node, schema: &Document<'_>, problems: &mut Problems) -> Value {
    let place = Place {
        node: root,
        owner: &root.at,
        path: &Path::Root,
    };
    Walk::new(schema, problems).value(place, &schema.root)
}

/// The JSON value of one entry of the root, checked against its property.
pub fn check_entry(entry: &node::Entry, schema: &Document<'_>, problems: &mut Problems) -> Value {
    let place = Place {
        node: &entry.node,
        owner: &entry.key_at,
        path: &Path::Root.key(&entry.key),
    };
    let free = Schema::default();
    let property = schema
        .root
        .properties
        .get(entry.key.as_str())
        .unwrap_or(&free);
    Walk::new(schema, problems).value(place, property)
}

/// A node and what a message says about where it is.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    node: &'a Node,
    /// The key that has the node as its value; for the root and for list elements the node.
    owner: &'a Position,
    path: &'a Path<'a>,
}

impl Place<'_> {
    /// A problem with the value here.
    fn problem(&self, code: &Code, message: impl Into<String>) -> Diagnostic {
        // The start of a map or list in block style is its first entry, which is not at fault.
        let at = match &self.node.value {
            node::Value::Scalar(_) => &self.node.at,
            node::Value::List(_) | node::Value::Map(_) => self.owner,
        };
        Diagnostic::error(code, message)
            .at(at.clone())
            .path(self.path.to_string())
    }
}

/// A walk of one tree along one schema.
struct Walk<'s, 'p> {
    schema: &'s Document<'s>,
    problems: &'p mut Problems,
    patterns: HashMap<&'s str, Option<Regex>>,
}

impl<'s, 'p> Walk<'s, 'p> {
    fn new(schema: &'s Document<'s>, problems: &'p mut Problems) -> Self {
        Self {
            schema,
            problems,
            patterns: HashMap::new(),
        }
    }

    fn value(&mut self, place: Place<'_>, schema: &'s Schema<'s>) -> Value {
        let found = self.problems.len();
        let value = if let Some(target) = self.target(schema) {
            self.value(place, target)
        } else if let Some((first, rest)) = schema.all.split_first() {
            let value = self.value(place, first);
            for schema in rest {
                self.value(place, schema);
            }
            value
        } else if schema.alternatives.is_empty() {
            match &place.node.value {
                node::Value::Scalar(scalar) => self.scalar(place, scalar, schema),
                node::Value::List(items) => self.list(place, items, schema),
                node::Value::Map(entries) => self.map(place, entries, schema),
            }
        } else {
            self.alternatives(place, &schema.alternatives)
        };
        if self.problems.len() == found {
            self.limits(place, &value, schema);
        }
        value
    }

    /// What a reference refers to.
    fn target(&self, schema: &Schema<'s>) -> Option<&'s Schema<'s>> {
        self.schema.definitions.get(schema.reference?)
    }

    /// The schema that a chain of references ends at.
    fn resolve(&self, mut schema: &'s Schema<'s>) -> &'s Schema<'s> {
        while let Some(target) = self.target(schema) {
            schema = target;
        }
        schema
    }

    /// A regular expression, compiled at most once; none if it is not valid.
    fn matches(&mut self, pattern: &'s str, text: &str) -> bool {
        self.patterns
            .entry(pattern)
            .or_insert_with(|| Regex::new(pattern).ok())
            .as_ref()
            .is_none_or(|regex| regex.is_match(text))
    }
}
