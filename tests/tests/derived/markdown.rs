//! Pieces of the reference pages.

use std::fmt::Write;

use banlieue_schemas::model::{Bounds, Field, Record, Rule, Shape};
use banlieue_tests::help_page::DERIVED;

/// First lines of every page.
pub fn head(title: &str, about: &str) -> String {
    format!("{DERIVED}# {title}\n\n{about}\n")
}

/// The description, the table of the fields and the rules of a record, without a heading.
pub fn record(record: &Record) -> String {
    let mut text = format!("\n{}\n", prose(&record.description));
    if !record.fields.is_empty() {
        text.push_str("\n| field | type | default | description |\n|---|---|---|---|\n");
    }
    for field in &record.fields {
        writeln!(
            text,
            "| `{}`{} | {} | {} | {} |",
            field.name,
            if field.required { " (required)" } else { "" },
            shape(&field.shape),
            default(field),
            description(field),
        )
        .unwrap();
    }
    let own = record.rules.iter().map(|rule| (None, rule));
    let fields = record.fields.iter().flat_map(|field| {
        let name = Some(field.name.as_str());
        field.rules.iter().map(move |rule| (name, rule))
    });
    let rules: Vec<String> = own
        .chain(fields)
        .map(|(field, rule)| self::rule(field, rule))
        .collect();
    if !rules.is_empty() {
        write!(
            text,
            "\nRules, which the API server and `banlieue-gen check` evaluate:\n\n{}",
            rules.concat()
        )
        .unwrap();
    }
    text
}

fn rule(field: Option<&str>, rule: &Rule) -> String {
    let field = field
        .map(|field| format!("`{field}`: "))
        .unwrap_or_default();
    format!("- {field}{}<br>`{}`\n", prose(&rule.message), rule.rule)
}

fn description(field: &Field) -> String {
    let mut text = cell(&prose(&field.description));
    if let Some(choices) = choices(&field.shape) {
        for choice in choices
            .iter()
            .filter(|choice| !choice.description.is_empty())
        {
            write!(
                text,
                "<br>`{}`: {}",
                choice.value,
                cell(&prose(&choice.description))
            )
            .unwrap();
        }
    }
    text
}

fn choices(shape: &Shape) -> Option<&[banlieue_schemas::model::Choice]> {
    match shape {
        Shape::Choice(choices) => Some(choices),
        Shape::List { items: inner, .. } | Shape::Map { values: inner, .. } => choices(inner),
        _ => None,
    }
}

fn default(field: &Field) -> String {
    match &field.default {
        // The fields of the object say theirs.
        None | Some(serde_json::Value::Object(_)) => String::new(),
        Some(serde_json::Value::String(text)) if text.is_empty() => "empty".to_owned(),
        Some(serde_json::Value::String(text)) => code(text),
        Some(other) => code(&other.to_string()),
    }
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Any => "anything".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Integer(bounds) => limited("integer", range(*bounds, "")),
        Shape::Number(bounds) => limited("number", range(*bounds, "")),
        Shape::IntegerOrText => "integer or text".to_owned(),
        Shape::Text { length, pattern } => {
            let text = limited("text", range(*length, " characters"));
            match pattern {
                Some(pattern) => format!("{text}, matches {}", code(pattern)),
                None => text,
            }
        }
        Shape::Choice(choices) => {
            let values: Vec<String> = choices.iter().map(|choice| code(&choice.value)).collect();
            values.join(", ")
        }
        Shape::List { items, length } => limited(
            &format!("list of {}", self::shape(items)),
            range(*length, " items"),
        ),
        Shape::Map { keys, values } => {
            let values = self::shape(values);
            let keys = keys.as_ref().map(|_| " from name").unwrap_or_default();
            format!("map{keys} to {values}")
        }
        Shape::Record(name) => format!("[{name}](#{})", name.to_lowercase()),
    }
}

fn limited(what: &str, range: Option<String>) -> String {
    match range {
        Some(range) => format!("{what}, {range}"),
        None => what.to_owned(),
    }
}

fn range(bounds: Bounds, unit: &str) -> Option<String> {
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) => Some(format!("{min} to {max}{unit}")),
        (Some(min), None) => Some(format!("at least {min}{unit}")),
        (None, Some(max)) => Some(format!("at most {max}{unit}")),
        (None, None) => None,
    }
}

/// A code span in a table cell.
pub fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

/// Text that stays in its cell.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace("\n\n", "<br>")
        .replace('\n', " ")
}

/// Text in which `<` outside of code spans starts no HTML element.
pub fn prose(text: &str) -> String {
    let spans = text.split('`').enumerate().map(|(index, span)| {
        if index % 2 == 0 {
            span.replace('<', "&lt;")
        } else {
            span.to_owned()
        }
    });
    spans.collect::<Vec<_>>().join("`")
}

#[test]
fn a_cell_holds_what_tables_and_html_would_take_for_their_own() {
    assert_eq!(code("a|b"), "`a\\|b`");
    assert_eq!(cell("one\n\ntwo\nthree"), "one<br>two three");
    assert_eq!(prose("a <b> `<c>`"), "a &lt;b> `<c>`");
}
