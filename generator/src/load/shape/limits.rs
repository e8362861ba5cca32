//! What a value of the right type must still satisfy.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::schema::Schema;
use super::{Place, Walk};
use crate::diagnostic::{Diagnostic, codes, nearest, shown};

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
                    let hint = schema.summary().unwrap_or("write a text of this form");
                    self.problems.push(problem.hint(hint));
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
        let (rule, remedy) = match (bounds.min, bounds.max) {
            (Some(min), _) if count < min => (
                format!("at least {min} {unit} are needed here"),
                format!("add {}", min - count),
            ),
            (_, Some(max)) if count > max => (
                format!("at most {max} {unit} are allowed here"),
                format!("remove {}", count - max),
            ),
            _ => return,
        };
        let message = format!("{rule}, and there are {count}");
        let problem = place.problem(&codes::SIZE, message);
        self.problems.push(problem.hint(remedy));
    }

    fn range(&mut self, place: Place<'_>, number: &Number, schema: &Schema<'s>) {
        let (min, max) = (schema.range.min, schema.range.max);
        let outside = |bound: Option<&Number>, side| {
            bound.is_some_and(|bound| compare(number, bound) == Some(side))
        };
        let fault = if outside(min, Ordering::Less) {
            "too small"
        } else if outside(max, Ordering::Greater) {
            "too large"
        } else {
            return;
        };
        let allowed = match (min, max) {
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("of at least {min}"),
            (None, max) => max.map_or(String::new(), |max| format!("of at most {max}")),
        };
        let problem = place.problem(&codes::RANGE, format!("{number} is {fault}"));
        self.problems
            .push(problem.hint(format!("write a number {allowed}")));
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
    let problem = place.problem(
        &codes::NOT_ALLOWED,
        format!("{} is not one of: {}", shown(&found), names.join(", ")),
    );
    match nearest(&found, names.iter().map(String::as_str)) {
        Some(name) => problem.hint(format!("did you mean `{name}`?")),
        None => problem.hint("write one of them"),
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
