//! One `schema` of KCL.

use std::fmt::Write;

use super::{checks, types, words};
use crate::model::{Field, Record};

/// Widest line of a documentation string.
const WIDTH: usize = 96;

/// The text of a record.
pub fn write(record: &Record) -> String {
    let mut text = format!("schema {}:\n", record.name);
    document(record, &mut text);
    if record.open {
        line(&mut text, 1, "[...str]: any");
    }
    for field in &record.fields {
        line(&mut text, 1, &declaration(field));
    }
    let checks: Vec<String> = record.fields.iter().flat_map(checks::of).collect();
    if !checks.is_empty() {
        text.push('\n');
        line(&mut text, 1, "check:");
        for check in checks {
            line(&mut text, 2, &check);
        }
    }
    text
}

fn declaration(field: &Field) -> String {
    let mark = if field.required { "" } else { "?" };
    let attribute = words::attribute(&field.name);
    let kind = types::of(&field.shape);
    match types::default(&field.shape, field.default.as_ref()) {
        Some(default) => format!("{attribute}{mark}: {kind} = {default}"),
        None => format!("{attribute}{mark}: {kind}"),
    }
}

/// The documentation string, in the form that KCL's tools read.
fn document(record: &Record, text: &mut String) {
    line(text, 1, "r\"\"\"");
    paragraphs(text, 1, &record.description);
    if !record.fields.is_empty() {
        text.push('\n');
        line(text, 1, "Attributes");
        line(text, 1, "----------");
    }
    for field in &record.fields {
        let need = if field.required {
            "required"
        } else {
            "optional"
        };
        let kind = types::of(&field.shape);
        line(text, 1, &format!("{} : {kind}, {need}", field.name));
        paragraphs(text, 2, &field.description);
    }
    line(text, 1, "\"\"\"");
}

fn paragraphs(text: &mut String, depth: usize, content: &str) {
    // The one thing that would end the string.
    let content = content.replace("\"\"\"", "'''");
    for (index, paragraph) in content.split("\n\n").enumerate() {
        if index > 0 {
            text.push('\n');
        }
        wrap(text, depth, paragraph);
    }
}

fn wrap(text: &mut String, depth: usize, paragraph: &str) {
    let mut current = String::new();
    for word in paragraph.split_whitespace() {
        let wanted = depth * 4 + current.chars().count() + 1 + word.chars().count();
        if !current.is_empty() && wanted > WIDTH {
            line(text, depth, &current);
            current.clear();
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    if !current.is_empty() {
        line(text, depth, &current);
    }
}

fn line(text: &mut String, depth: usize, content: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{:width$}{content}", "", width = depth * 4);
}
