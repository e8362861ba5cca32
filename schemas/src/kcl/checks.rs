//! Conditions of a `check` block.

use super::words;
use crate::model::{Bounds, Field, Shape};

/// The conditions of a field, each with what to say when it is false.
pub fn of(field: &Field) -> Vec<String> {
    let attribute = words::attribute(&field.name);
    let guard = if field.required {
        String::new()
    } else {
        format!(" if {attribute} not in [None, Undefined]")
    };
    conditions(&field.shape, &attribute, 0)
        .into_iter()
        .map(|Condition { test, rule }| {
            let message = words::literal(&format!("{}{rule}", field.name));
            format!("{test}{guard}, {message}")
        })
        .collect()
}

struct Condition {
    test: String,
    /// What the field, or something in it, must do.
    rule: String,
}

impl Condition {
    fn new(test: String, rule: String) -> Self {
        Self { test, rule }
    }

    /// The condition for every entry of `value`.
    fn each(&self, value: &str, variables: &str, what: &str) -> Self {
        Self::new(
            format!("all {variables} in {value} {{{}}}", self.test),
            format!(": each {what}{}", self.rule),
        )
    }
}

/// `depth` keeps the variables of nested loops apart.
fn conditions(shape: &Shape, value: &str, depth: usize) -> Vec<Condition> {
    match shape {
        Shape::Integer(bounds) | Shape::Number(bounds) => within(value, *bounds)
            .map(|(test, range)| Condition::new(test, format!(" must be {range}")))
            .into_iter()
            .collect(),
        Shape::Text { length, pattern } => {
            let mut found = sized(value, *length, "characters");
            found.extend(pattern.as_ref().map(|pattern| matches(value, pattern)));
            found
        }
        Shape::List { items, length } => {
            let item = format!("item{depth}");
            let mut found = sized(value, *length, "items");
            found.extend(
                conditions(items, &item, depth + 1)
                    .iter()
                    .map(|inner| inner.each(value, &item, "item")),
            );
            found
        }
        Shape::Map { keys, values } => {
            let key = format!("key{depth}");
            let mut found = Vec::new();
            if let Some(pattern) = keys {
                found.push(matches(&key, pattern).each(value, &key, "key"));
            }
            let entry = format!("value{depth}");
            found.extend(
                conditions(values, &entry, depth + 1)
                    .iter()
                    .map(|inner| inner.each(value, &format!("_, {entry}"), "value")),
            );
            found
        }
        Shape::Any
        | Shape::Boolean
        | Shape::IntegerOrText
        | Shape::Choice(_)
        | Shape::Record(_) => Vec::new(),
    }
}

fn matches(value: &str, pattern: &str) -> Condition {
    Condition::new(
        format!("regex.match({value}, {})", words::pattern(pattern)),
        format!(" must match {pattern}"),
    )
}

fn sized(value: &str, bounds: Bounds, unit: &str) -> Vec<Condition> {
    within(&format!("len({value})"), bounds)
        .map(|(test, range)| Condition::new(test, format!(" must have {range} {unit}")))
        .into_iter()
        .collect()
}

/// The comparison, and the range in words.
fn within(value: &str, bounds: Bounds) -> Option<(String, String)> {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) => Some((
            format!("{min} <= {value} <= {max}"),
            format!("{min} to {max}"),
        )),
        (Some(min), None) => Some((format!("{value} >= {min}"), format!("at least {min}"))),
        (None, Some(max)) => Some((format!("{value} <= {max}"), format!("at most {max}"))),
        (None, None) => None,
    }
}
