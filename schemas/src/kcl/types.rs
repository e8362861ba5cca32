//! Types of attributes, and default values.

use serde_json::Value;

use super::words;
use crate::model::Shape;

/// The type of an attribute.
pub fn of(shape: &Shape) -> String {
    match shape {
        Shape::Any => "any".to_owned(),
        Shape::Boolean => "bool".to_owned(),
        Shape::Integer(_) => "int".to_owned(),
        Shape::Number(_) => "float | int".to_owned(),
        Shape::IntegerOrText => "int | str".to_owned(),
        Shape::Text { .. } => "str".to_owned(),
        Shape::Choice(choices) => {
            let values: Vec<String> = choices
                .iter()
                .map(|choice| words::literal(&choice.value))
                .collect();
            values.join(" | ")
        }
        Shape::List { items, .. } => format!("[{}]", of(items)),
        Shape::Map { values, .. } => format!("{{str:{}}}", of(values)),
        Shape::Record(name) => name.clone(),
    }
}

/// The default of an attribute. Objects have none here: their fields have.
pub fn default(shape: &Shape, value: Option<&Value>) -> Option<String> {
    match (shape, value) {
        (Shape::Choice(choices), None) => match choices.as_slice() {
            [only] => Some(words::literal(&only.value)),
            _ => None,
        },
        (_, Some(value)) => written(value),
        _ => None,
    }
}

fn written(value: &Value) -> Option<String> {
    match value {
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(words::literal(text)),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(written).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Value::Null | Value::Object(_) => None,
    }
}
