//! What a value of the right type must still satisfy.

use serde_json::{Number, Value};

use super::Bounds;
use crate::{
    check::{codes, finding::Fault},
    diagnostic::{nearest, shown},
    load::node::Path,
};

pub(super) fn size(
    count: impl FnOnce() -> usize,
    unit: &str,
    bounds: Bounds<usize>,
    path: &Path<'_>,
    faults: &mut Vec<Fault>,
) {
    if bounds.min.is_none() && bounds.max.is_none() {
        return;
    }
    let count = count();
    let (rule, hint) = match (bounds.min, bounds.max) {
        (Some(min), _) if count < min => (format!("at least {min}"), "lengthen it"),
        (_, Some(max)) if count > max => (format!("at most {max}"), "shorten it"),
        _ => return,
    };
    let message = format!("has {count} {unit}, and must have {rule}");
    faults.push(Fault::new(&codes::SIZE, path, message, hint));
}

pub(super) fn range(
    number: &Number,
    bounds: Bounds<f64>,
    path: &Path<'_>,
    faults: &mut Vec<Fault>,
) {
    let Some(value) = number.as_f64() else {
        return;
    };
    let low = bounds.min.is_some_and(|min| value < min);
    let high = bounds.max.is_some_and(|max| value > max);
    if !low && !high {
        return;
    }
    let hint = match (bounds.min, bounds.max) {
        (Some(min), Some(max)) => format!("write a number from {min} to {max}"),
        (Some(min), None) => format!("write a number of at least {min}"),
        (None, max) => format!("write a number of at most {}", max.unwrap_or_default()),
    };
    let word = if low { "small" } else { "large" };
    let message = format!("is {number}, which is too {word}");
    faults.push(Fault::new(&codes::RANGE, path, message, hint));
}

pub(super) fn not_allowed(value: &Value, allowed: &[Value], path: &Path<'_>) -> Fault {
    let names: Vec<String> = allowed.iter().map(plain).collect();
    let found = plain(value);
    let hint = nearest(&found, names.iter().map(String::as_str)).map_or_else(
        || format!("write one of: {}", names.join(", ")),
        |name| format!("did you mean `{name}`?"),
    );
    let message = format!("is {}, which is not allowed", shown(&found));
    Fault::new(&codes::NOT_ALLOWED, path, message, hint)
}

/// A value without the quotes of JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
