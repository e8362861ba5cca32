//! Maps and lists.

use serde_json::Value;

use super::scalars::wrong_type;
use super::schema::Schema;
use super::types::Types;
use super::{Place, Walk};
use crate::diagnostic::{Diagnostic, codes, nearest, shown};
use crate::load::node::{Entry, Map, Node};

/// How a map treats a key.
enum Field<'s> {
    Known(&'s Schema<'s>),
    /// Any value.
    Open,
    Unknown,
}

impl<'s> Walk<'s, '_> {
    pub(super) fn list(
        &mut self,
        place: Place<'_>,
        items: &[Node],
        schema: &'s Schema<'s>,
    ) -> Value {
        match schema.types {
            Some(types) if !types.has(Types::ARRAY) => {
                self.problems.push(wrong_type(place, types));
                Value::Null
            }
            _ => self.elements(place, items, schema.items.as_deref()),
        }
    }

    pub(super) fn elements(
        &mut self,
        place: Place<'_>,
        items: &[Node],
        schema: Option<&'s Schema<'s>>,
    ) -> Value {
        let values = items.iter().enumerate().map(|(index, node)| {
            let place = Place {
                node,
                owner: &node.at,
                path: &place.path.index(index),
            };
            match schema {
                Some(schema) => self.value(place, schema),
                None => self.free(place),
            }
        });
        Value::Array(values.collect())
    }

    pub(super) fn map(&mut self, place: Place<'_>, entries: &Map, schema: &'s Schema<'s>) -> Value {
        if let Some(types) = schema.types
            && !types.has(Types::OBJECT)
        {
            self.problems.push(wrong_type(place, types));
            return Value::Null;
        }
        let mut values = serde_json::Map::new();
        // A required field that is there under a misspelt name is not reported as missing too.
        let mut misspelt = Vec::new();
        for entry in entries.iter() {
            let key = &entry.key;
            let path = place.path.key(key);
            let inner = Place {
                node: &entry.node,
                owner: &entry.key_at,
                path: &path,
            };
            if let Some(names) = &schema.property_names {
                self.key(inner, key, names);
            }
            let value = match self.field(key, schema) {
                Field::Known(schema) => self.value(inner, schema),
                Field::Open => self.free(inner),
                Field::Unknown => {
                    misspelt.extend(nearest(key, schema.properties.keys().copied()));
                    self.unknown(place, entry, schema);
                    continue;
                }
            };
            values.insert(key.clone(), value);
        }
        for name in &schema.required {
            if !entries.contains(name) && !misspelt.contains(name) {
                self.missing(place, name, schema);
            }
        }
        Value::Object(values)
    }

    fn field(&mut self, key: &str, schema: &'s Schema<'s>) -> Field<'s> {
        if let Some(property) = schema.properties.get(key) {
            return Field::Known(property);
        }
        for (pattern, property) in &schema.pattern_properties {
            if self.matches(pattern, key) {
                return Field::Known(property);
            }
        }
        match schema.additional.as_deref() {
            Some(additional) if additional.never => Field::Unknown,
            Some(additional) => Field::Known(additional),
            None if schema.properties.is_empty() && schema.pattern_properties.is_empty() => {
                Field::Open
            }
            None => Field::Unknown,
        }
    }

    /// Checks a key against the schema of keys.
    fn key(&mut self, place: Place<'_>, key: &str, names: &'s Schema<'s>) {
        let names = self.resolve(names);
        let found = self.problems.len();
        self.limits(place, &Value::from(key), names);
        let problems = self.problems.split_off(found);
        // The value may be far below; what has to change is the key.
        let at_key = problems.into_iter().map(|problem| Diagnostic {
            at: Some(place.owner.clone()),
            message: format!("the key: {}", problem.message),
            ..problem
        });
        self.problems.extend(at_key);
    }

    fn unknown(&mut self, place: Place<'_>, entry: &Entry, schema: &Schema<'s>) {
        let key = &entry.key;
        if schema.properties.is_empty()
            && let Some((pattern, _)) = schema.pattern_properties.first()
        {
            self.problems.push(
                Diagnostic::error(
                    &codes::PATTERN,
                    format!("the key {} does not match `{pattern}`", shown(key)),
                )
                .at(entry.key_at.clone())
                .path(place.path.to_string())
                .hint("write a key of this form"),
            );
            return;
        }
        let problem = Diagnostic::error(
            &codes::UNKNOWN_FIELD,
            format!("there is no field {} here", shown(key)),
        )
        .at(entry.key_at.clone())
        .path(place.path.to_string())
        .hint_nearest(key, schema.properties.keys().copied());
        let problem = if problem.hint.is_some() {
            problem
        } else {
            let fields: Vec<&str> = schema.properties.keys().copied().collect();
            problem.hint(format!("the fields are {}", fields.join(", ")))
        };
        self.problems.push(problem);
    }

    fn missing(&mut self, place: Place<'_>, name: &str, schema: &'s Schema<'s>) {
        let problem = Diagnostic::error(&codes::MISSING_FIELD, format!("`{name}` is missing"))
            .at(place.owner.clone())
            .path(place.path.to_string());
        let description = schema
            .properties
            .get(name)
            .and_then(|property| property.summary().or(self.resolve(property).summary()));
        self.problems.push(match description {
            Some(description) => problem.hint(format!("add `{name}`: {description}")),
            None => problem.hint(format!("add `{name}`")),
        });
    }
}
