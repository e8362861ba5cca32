//! What a value of the right type must still satisfy.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::schema::Schema;
use super::{Place, Walk};
use crate::diagnostic::{Diagnostic, codes, shown};

impl<'s> Walk<'s, '_> {
    /// Checks allowed values, pattern, size and range. `value` is the value at `place`, or its key.
    pub(super) fn limits(&mut self, place: Place<'_>, value: &Value, schema: &Schema<'s>) {
        if let Some(allowed) = &schema.allowed
            && !allowed.contains(&value)
        {
            self.problems.push(not_allowed(place, value, allowed));
        }
        match value {
            Value::String(text) => {
                if let Some(pattern) = schema.pattern
                    && !self.matches(pattern, text)
                {
                    let problem = place.problem(
                        &codes::PATTERN,
                        format!("{} does not match `{pattern}`", shown(text)),
                    );
                    self.problems.push(with_summary(problem, schema));
                }
                self.size(place, schema, || text.chars().count(), "characters");
            }
            Value::Array(items) => {
                self.size(place, schema, || items.len(), "entries");
                if schema.unique
                    && let Some(item) = repeated(items)
                {
                    let problem = place.problem(
                        &codes::SIZE,
                        format!("the list holds {} twice", shown(&item.to_string())),
                    );
                    self.problems.push(problem.hint("keep one of the two"));
                }
            }
            Value::Object(entries) => self.size(place, schema, || entries.len(), "entries"),
            Value::Number(number) => self.range(place, number, schema),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn size(
        &mut self,
        place: Place<'_>,
        schema: &Schema<'s>,
        count: impl Fn() -> usize,
        unit: &str,
    ) {
        let bounds = schema.size;
        if bounds.min.is_none() && bounds.max.is_none() {
            return;
        }
        let count = count() as u64;
        let rule = match (bounds.min, bounds.max) {
            (Some(min), _) if count < min => format!("at least {min}"),
            (_, Some(max)) if count > max => format!("at most {max}"),
            _ => return,
        };
        let problem = place.problem(
            &codes::SIZE,
            format!("{rule} {unit} are needed here, and there are {count}"),
        );
        self.problems.push(with_summary(problem, schema));
    }

    fn range(&mut self, place: Place<'_>, number: &Number, schema: &Schema<'s>) {
        let rule = match (schema.range.min, schema.range.max) {
            (Some(min), _) if compare(number, min) == Some(Ordering::Less) => {
                format!("at least {min}")
            }
            (_, Some(max)) if compare(number, max) == Some(Ordering::Greater) => {
                format!("at most {max}")
            }
            _ => return,
        };
        let problem = place.problem(&codes::RANGE, format!("{number} is not {rule}"));
        self.problems.push(with_summary(problem, schema));
    }
}

/// The problem of a value that is none of `allowed`.
pub(super) fn not_allowed(place: Place<'_>, value: &Value, allowed: &[&Value]) -> Diagnostic {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let names: Vec<String> = allowed.iter().copied().map(word).collect();
    let found = word(value);
    place
        .problem(
            &codes::NOT_ALLOWED,
            format!("{} is not one of: {}", shown(&found), names.join(", ")),
        )
        .hint_nearest(&found, names.iter().map(String::as_str))
}

fn with_summary(problem: Diagnostic, schema: &Schema<'_>) -> Diagnostic {
    match schema.summary() {
        Some(summary) => problem.hint(summary),
        None => problem,
    }
}

fn repeated(items: &[Value]) -> Option<&Value> {
    items
        .iter()
        .enumerate()
        .find(|(index, item)| items[..*index].contains(item))
        .map(|(_, item)| item)
}

/// Exact for integers, which need not fit a floating-point number.
fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_integers_are_compared_exactly() {
        let left = Number::from(9_007_199_254_740_993_u64);
        let right = Number::from(9_007_199_254_740_992_u64);
        assert_eq!(compare(&left, &right), Some(Ordering::Greater));
    }
}
