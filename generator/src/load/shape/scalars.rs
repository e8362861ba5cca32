//! Scalars: the schema decides what a plain one is.

use serde_json::Value;

use super::schema::Schema;
use super::types::Types;
use super::{Place, Walk};
use crate::diagnostic::{Diagnostic, codes, shown};
use crate::load::node;
use crate::load::scalar::{Reading, Scalar};

impl<'s> Walk<'s, '_> {
    pub(super) fn scalar(
        &mut self,
        place: Place<'_>,
        scalar: &Scalar,
        schema: &Schema<'s>,
    ) -> Value {
        let Some(types) = schema.types else {
            return self.free(place);
        };
        let problem = match scalar.reading() {
            Reading::Text(text) if types.has(Types::STRING) => return Value::from(text),
            Reading::Bool(value) if types.has(Types::BOOLEAN) => return Value::Bool(value),
            Reading::Number(number) if fits(&number, types) => return Value::Number(number),
            Reading::Ambiguous(reading) => ambiguous(place, scalar, reading, types),
            Reading::Bool(_) | Reading::Number(_)
                if types.has(Types::STRING) && matches!(scalar, Scalar::Plain(_)) =>
            {
                unquoted(place, scalar)
            }
            _ => wrong_type(place, types),
        };
        self.problems.push(problem);
        Value::Null
    }

    /// A value about which the schema says nothing: it must be clear without it.
    pub(super) fn free(&mut self, place: Place<'_>) -> Value {
        match &place.node.value {
            node::Value::Scalar(scalar) => match scalar.reading() {
                Reading::Text(text) => Value::from(text),
                Reading::Bool(value) => Value::Bool(value),
                Reading::Number(number) => Value::Number(number),
                Reading::Null => Value::Null,
                Reading::Ambiguous(reading) => {
                    let any = Types::STRING;
                    self.problems.push(ambiguous(place, scalar, reading, any));
                    Value::Null
                }
            },
            node::Value::List(items) => self.elements(place, items, None),
            node::Value::Map(entries) => {
                let values = entries.iter().map(|entry| {
                    let value = self.free(Place {
                        node: &entry.node,
                        owner: &entry.key_at,
                        path: &place.path.key(&entry.key),
                    });
                    (entry.key.clone(), value)
                });
                Value::Object(values.collect())
            }
        }
    }
}

fn fits(number: &serde_json::Number, types: Types) -> bool {
    types.has(Types::NUMBER) || (types.has(Types::INTEGER) && !number.is_f64())
}

/// What is written, in double quotes.
fn quoted(scalar: &Scalar) -> String {
    format!("`\"{}\"`", scalar.as_written().unwrap_or_default())
}

fn ambiguous(place: Place<'_>, scalar: &Scalar, reading: &str, types: Types) -> Diagnostic {
    let written = shown(scalar.as_written().unwrap_or_default());
    let problem = place.problem(
        &codes::AMBIGUOUS,
        format!("{written} without quotes is {reading} for some YAML readers"),
    );
    if types.has(Types::STRING) {
        problem.hint(format!("write {}", quoted(scalar)))
    } else if types.has(Types::BOOLEAN) {
        problem.hint("write `true` or `false`")
    } else if types.has(Types::INTEGER) || types.has(Types::NUMBER) {
        problem.hint("write a number with decimal digits only, without leading zeros")
    } else {
        problem.hint(format!("{} is needed here", types.describe()))
    }
}

fn unquoted(place: Place<'_>, scalar: &Scalar) -> Diagnostic {
    let written = shown(scalar.as_written().unwrap_or_default());
    place
        .problem(
            &codes::AMBIGUOUS,
            format!(
                "{written} without quotes is {}, and text is needed",
                scalar.kind()
            ),
        )
        .hint(format!("write {}", quoted(scalar)))
}

/// The problem of a value that is of none of the types.
pub(super) fn wrong_type(place: Place<'_>, types: Types) -> Diagnostic {
    let problem = place.problem(
        &codes::WRONG_TYPE,
        format!(
            "{} is needed here, not {}",
            types.describe(),
            place.node.kind()
        ),
    );
    match fits_without_quotes(place.node, types) {
        Some(text) => problem.hint(format!("remove the quotes: `{text}`")),
        None => problem.hint(types.instruction()),
    }
}

/// The quoted text that would be of one of the types without its quotes.
fn fits_without_quotes(node: &node::Node, types: Types) -> Option<&str> {
    let node::Value::Scalar(Scalar::Text(text)) = &node.value else {
        return None;
    };
    let would_fit = match Scalar::Plain(text.clone()).reading() {
        Reading::Bool(_) => types.has(Types::BOOLEAN),
        Reading::Number(number) => fits(&number, types),
        _ => false,
    };
    would_fit.then_some(text)
}
