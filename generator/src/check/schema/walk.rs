//! The walk of a value along its schema.

use serde_json::Value;

use super::{Keyed, Map, Others, Schema, Shape, limits};
use crate::{
    check::{codes, finding::Fault},
    diagnostic::{nearest, shown},
    load::node::Path,
};

/// Adds everything that is wrong with a value to `faults`.
pub fn check(schema: &Schema, value: &Value, path: &Path<'_>, faults: &mut Vec<Fault>) {
    if value.is_null() && schema.nullable {
        return;
    }
    if let Some(allowed) = &schema.allowed
        && !allowed.contains(value)
    {
        faults.push(limits::not_allowed(value, allowed, path));
        return;
    }
    match (&schema.shape, value) {
        (Shape::Any, _)
        | (Shape::Boolean, Value::Bool(_))
        | (Shape::IntegerOrText, Value::String(_)) => {}
        (Shape::IntegerOrText, Value::Number(number)) if !number.is_f64() => {}
        (Shape::Integer(bounds), Value::Number(number)) if !number.is_f64() => {
            limits::range(number, *bounds, path, faults);
        }
        (Shape::Number(bounds), Value::Number(number)) => {
            limits::range(number, *bounds, path, faults);
        }
        (Shape::Text(pattern), Value::String(text)) => {
            limits::size(
                || text.chars().count(),
                "characters",
                schema.size,
                path,
                faults,
            );
            if let Some(pattern) = pattern
                && !pattern.is_match(text)
            {
                faults.push(Fault::new(
                    &codes::PATTERN,
                    path,
                    format!("{} does not match `{pattern}`", shown(text)),
                    "write a text of this form",
                ));
            }
        }
        (Shape::List { items, keyed }, Value::Array(values)) => {
            limits::size(|| values.len(), "entries", schema.size, path, faults);
            for (index, value) in values.iter().enumerate() {
                check(items, value, &path.index(index), faults);
            }
            distinct(values, keyed, path, faults);
        }
        (Shape::Map(map), Value::Object(fields)) => {
            limits::size(|| fields.len(), "entries", schema.size, path, faults);
            entries(map, fields, path, faults);
        }
        (shape, value) => faults.push(Fault::new(
            &codes::WRONG_TYPE,
            path,
            format!("is {}, and must be {}", found(value), wanted(shape)),
            format!("write {}", wanted(shape)),
        )),
    }
}

fn entries(
    map: &Map,
    fields: &serde_json::Map<String, Value>,
    path: &Path<'_>,
    faults: &mut Vec<Fault>,
) {
    for name in map
        .required
        .iter()
        .filter(|name| !fields.contains_key(*name))
    {
        faults.push(Fault::new(
            &codes::MISSING_FIELD,
            path,
            format!("lacks the field `{name}`"),
            format!("add `{name}`"),
        ));
    }
    for (name, value) in fields {
        let here = path.key(name);
        match (map.properties.get(name), &map.others) {
            (Some(schema), _) => check(schema, value, &here, faults),
            (None, Others::Are(schema)) => check(schema, value, &here, faults),
            (None, Others::Kept) => {}
            (None, Others::Pruned) => {
                let known = map.properties.keys().map(String::as_str);
                let hint = nearest(name, known).map_or_else(
                    || "remove it; the API server would drop it".to_owned(),
                    |name| format!("did you mean `{name}`?"),
                );
                let message = "is no field of its CRD";
                faults.push(Fault::new(&codes::UNKNOWN_FIELD, &here, message, hint));
            }
        }
    }
}

fn distinct(values: &[Value], keyed: &Keyed, path: &Path<'_>, faults: &mut Vec<Fault>) {
    let key = |value: &Value| -> Vec<Value> {
        match keyed {
            Keyed::Position => Vec::new(),
            Keyed::Value => vec![value.clone()],
            Keyed::Fields(names) => names.iter().map(|name| value[name].clone()).collect(),
        }
    };
    if matches!(keyed, Keyed::Position) || values.len() < 2 {
        return;
    }
    let keys: Vec<Vec<Value>> = values.iter().map(key).collect();
    for (index, key) in keys.iter().enumerate() {
        if keys[..index].contains(key) {
            let fields = match keyed {
                Keyed::Fields(names) => format!("{} ", names.join(" and ")),
                _ => String::new(),
            };
            let texts: Vec<String> = key.iter().map(limits::plain).collect();
            faults.push(Fault::new(
                &codes::DUPLICATE_ENTRY,
                &path.index(index),
                format!("is a second entry of {fields}{}", shown(&texts.join(", "))),
                "keep one of the two, or rename one",
            ));
        }
    }
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

fn wanted(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any => "anything",
        Shape::Boolean => "true or false",
        Shape::Integer(_) => "an integer",
        Shape::Number(_) => "a number",
        Shape::Text(_) => "text",
        Shape::IntegerOrText => "an integer or text",
        Shape::List { .. } => "a list",
        Shape::Map(_) => "a map",
    }
}
