//! Values of which there are several kinds: `anyOf` and `oneOf`.
//!
//! The kind that is meant is found first, so that the problems reported are about that kind and
//! not "matches none of the alternatives".

use std::collections::BTreeMap;

use serde_json::Value;

use super::limits::not_allowed;
use super::scalars::wrong_type;
use super::schema::Schema;
use super::types::Types;
use super::{Place, Walk};
use crate::diagnostic::{Diagnostic, codes, nearest, shown};
use crate::load::node;

impl<'s> Walk<'s, '_> {
    pub(super) fn alternatives(&mut self, place: Place<'_>, branches: &'s [Schema<'s>]) -> Value {
        let here = match &place.node.value {
            node::Value::Scalar(_) => Types::SCALAR,
            node::Value::List(_) => Types::ARRAY,
            node::Value::Map(_) => Types::OBJECT,
        };
        // The null of an optional field falls out here: a merged fleet holds none.
        let (fitting, other): (Vec<&'s Schema<'s>>, Vec<_>) = branches.iter().partition(|branch| {
            let types = self.resolve(branch).types;
            types.is_none_or(|types| types.has(here))
        });
        let branches = match fitting[..] {
            [] => {
                let types = other.iter().filter_map(|branch| self.resolve(branch).types);
                let types = types.fold(Types::NONE, Types::or);
                self.problems.push(wrong_type(place, types));
                return Value::Null;
            }
            [only] => return self.value(place, only),
            _ => fitting,
        };
        if let Some(allowed) = self.words(&branches) {
            return self.word(place, &allowed);
        }
        if let node::Value::Map(entries) = &place.node.value {
            if let Some(variants) = self.variants(&branches) {
                return self.variant(place, entries, &variants);
            }
            if let Some((tag, kinds)) = self.tagged(&branches) {
                return self.kind(place, entries, tag, &kinds);
            }
        }
        self.best(place, &branches)
    }

    /// The values, if every branch is a list of allowed values.
    fn words(&self, branches: &[&'s Schema<'s>]) -> Option<Vec<&'s Value>> {
        let mut words = Vec::new();
        for branch in branches {
            words.extend(self.resolve(branch).allowed.as_deref()?);
        }
        Some(words)
    }

    fn word(&mut self, place: Place<'_>, allowed: &[&'s Value]) -> Value {
        let found = self.problems.len();
        let value = match &place.node.value {
            node::Value::Scalar(scalar) if allowed.iter().all(|value| value.is_string()) => {
                let text = Schema {
                    types: Some(Types::STRING),
                    ..Schema::default()
                };
                self.scalar(place, scalar, &text)
            }
            _ => self.free(place),
        };
        if self.problems.len() == found && !allowed.contains(&&value) {
            self.problems.push(not_allowed(place, &value, allowed));
        }
        value
    }

    /// The branches by their only field, if each is a map with exactly one, required field.
    fn variants(&self, branches: &[&'s Schema<'s>]) -> Option<BTreeMap<&'s str, &'s Schema<'s>>> {
        let single = |branch: &&'s Schema<'s>| {
            let schema = self.resolve(branch);
            match schema.required[..] {
                [name] if schema.properties.len() == 1 => Some((name, schema)),
                _ => None,
            }
        };
        branches.iter().map(single).collect()
    }

    fn variant(
        &mut self,
        place: Place<'_>,
        entries: &node::Map,
        variants: &BTreeMap<&'s str, &'s Schema<'s>>,
    ) -> Value {
        let names: Vec<&str> = variants.keys().copied().collect();
        let names = names.join(", ");
        let mut keys = entries.iter();
        let problem = match (keys.next(), keys.next()) {
            (Some(entry), None) => {
                let key = entry.key.as_str();
                if let Some(schema) = variants.get(key) {
                    return self.value(place, schema);
                }
                let hint = match nearest(key, variants.keys().copied()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "write exactly one of them".to_owned(),
                };
                let message = format!("{} is not one of: {names}", shown(key));
                Diagnostic::error(&codes::UNKNOWN_FIELD, message)
                    .at(entry.key_at.clone())
                    .hint(hint)
            }
            (Some(first_entry), Some(second_entry)) => {
                let (first, second) = (shown(&first_entry.key), shown(&second_entry.key));
                let message = format!("{first} and {second} exclude each other");
                Diagnostic::error(&codes::ONE_OF, message)
                    .at(second_entry.key_at.clone())
                    .related(format!("{first} is here"), first_entry.key_at.clone())
                    .hint(format!("write exactly one of: {names}"))
            }
            (None, _) => place
                .problem(&codes::ONE_OF, format!("one of these is missing: {names}"))
                .hint("write exactly one of them"),
        };
        self.problems.push(problem.path(place.path.to_string()));
        Value::Null
    }

    /// The field that tells the branches apart, and the branches by its value.
    fn tagged(
        &self,
        branches: &[&'s Schema<'s>],
    ) -> Option<(&'s str, BTreeMap<&'s str, &'s Schema<'s>>)> {
        let (first, _) = branches.split_first()?;
        self.resolve(first).properties.keys().find_map(|tag| {
            let kinds: Option<BTreeMap<_, _>> = branches
                .iter()
                .map(|branch| {
                    let schema = self.resolve(branch);
                    let allowed = schema.properties.get(tag)?.allowed.as_deref()?;
                    match allowed {
                        [Value::String(kind)] => Some((kind.as_str(), schema)),
                        _ => None,
                    }
                })
                .collect();
            Some((*tag, kinds?))
        })
    }

    fn kind(
        &mut self,
        place: Place<'_>,
        entries: &node::Map,
        tag: &'s str,
        kinds: &BTreeMap<&'s str, &'s Schema<'s>>,
    ) -> Value {
        let names: Vec<Value> = kinds.keys().map(|kind| Value::from(*kind)).collect();
        let Some(entry) = entries.get(tag) else {
            let names: Vec<&str> = kinds.keys().copied().collect();
            self.problems.push(
                Diagnostic::error(&codes::MISSING_FIELD, format!("`{tag}` is missing"))
                    .at(place.owner.clone())
                    .path(place.path.to_string())
                    .hint(format!("add `{tag}`: one of {}", names.join(", "))),
            );
            return Value::Null;
        };
        let written = match &entry.node.value {
            node::Value::Scalar(scalar) => scalar.as_written(),
            node::Value::List(_) | node::Value::Map(_) => None,
        };
        if let Some(schema) = written.and_then(|written| kinds.get(written)) {
            return self.value(place, schema);
        }
        let place = Place {
            node: &entry.node,
            owner: &entry.key_at,
            path: &place.path.key(tag),
        };
        let names: Vec<&Value> = names.iter().collect();
        let found = Value::from(written.unwrap_or(entry.node.kind()));
        self.problems.push(not_allowed(place, &found, &names));
        Value::Null
    }

    /// Tries the branches: the first without problems, else the one with the fewest.
    fn best(&mut self, place: Place<'_>, branches: &[&'s Schema<'s>]) -> Value {
        let before = self.problems.len();
        let mut best: Option<Vec<Diagnostic>> = None;
        for branch in branches {
            let value = self.value(place, branch);
            let found = self.problems.split_off(before);
            if found.is_empty() {
                return value;
            }
            if best.as_ref().is_none_or(|best| found.len() < best.len()) {
                best = Some(found);
            }
        }
        self.problems.extend(best.unwrap_or_default());
        Value::Null
    }
}
