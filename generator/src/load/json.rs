//! Reads a JSON text.
//!
//! `serde_json` decides whether the text is JSON and decodes texts and numbers; the walk here only
//! adds the positions that `serde_json` does not give.

use serde::de::IgnoredAny;

use super::builder::{Budget, Builder, Container, Fatal, File};
use super::node::Node;
use super::problems::Problems;
use super::scalar::Scalar;
use crate::diagnostic::{Diagnostic, Position, codes};

/// The root, or none when the text is refused.
pub fn document(
    file: &File,
    text: &str,
    budget: &mut Budget,
    problems: &mut Problems,
) -> Option<Node> {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        problems.push(syntax(file, text, &error));
        return None;
    }
    let mut builder = Builder::new(budget, problems);
    match walk(file, text, &mut builder) {
        Ok(()) => builder.finish(),
        Err(fatal) => {
            builder.report(*fatal);
            None
        }
    }
}

fn syntax(file: &File, text: &str, error: &serde_json::Error) -> Diagnostic {
    // serde_json counts columns in bytes.
    let line = text.lines().nth(error.line().saturating_sub(1));
    let column = line.map_or(error.column(), |line| {
        let bytes = line.as_bytes();
        let before = &bytes[..error.column().min(bytes.len())];
        String::from_utf8_lossy(before).chars().count()
    });
    invalid(error)
        .at(file.position(error.line().max(1), column.max(1)))
        .hint("JSON has no comments and no trailing commas; name the file `*.yaml` to write YAML")
}

/// Walks a text that is known to be JSON.
fn walk(file: &File, text: &str, builder: &mut Builder<'_>) -> Result<(), Fatal> {
    let mut cursor = Cursor {
        rest: text,
        line: 1,
        column: 1,
    };
    while let Some(first) = cursor.rest.chars().next() {
        let at = file.position(cursor.line, cursor.column);
        match first {
            '{' => builder.open(at, Container::Map, None)?,
            '[' => builder.open(at, Container::List, None)?,
            '}' | ']' => builder.close()?,
            '"' => {
                let token = cursor.take(text_length(cursor.rest));
                let scalar = Scalar::Text(decode(token, &at)?);
                if builder.expects_key() {
                    builder.key(&at, scalar);
                } else {
                    builder.scalar(at, scalar, None)?;
                }
                continue;
            }
            ',' | ':' => {}
            space if space.is_ascii_whitespace() => {}
            _ => {
                let end = |c: char| matches!(c, ',' | ']' | '}') || c.is_ascii_whitespace();
                let length = cursor.rest.find(end).unwrap_or(cursor.rest.len());
                let scalar = match cursor.take(length) {
                    "true" => Scalar::Bool(true),
                    "false" => Scalar::Bool(false),
                    "null" => Scalar::Null,
                    number => Scalar::Number(decode(number, &at)?),
                };
                builder.scalar(at, scalar, None)?;
                continue;
            }
        }
        cursor.take(first.len_utf8());
    }
    Ok(())
}

/// Bytes of the text at the start of `rest`, quotes included.
fn text_length(rest: &str) -> usize {
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'"' => return index + 1,
            // The byte after a backslash never ends the text.
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
    rest.len()
}

fn decode<'t, T: serde::Deserialize<'t>>(token: &'t str, at: &Position) -> Result<T, Fatal> {
    serde_json::from_str(token).map_err(|error| {
        let hint = if token.starts_with('"') {
            "write a character outside of ASCII as itself"
        } else {
            "write a number that fits 64 bits"
        };
        Box::new(invalid(&error).at(at.clone()).hint(hint))
    })
}

/// The reason that `serde_json` gives, without its position.
fn invalid(error: &serde_json::Error) -> Diagnostic {
    let message = error.to_string();
    let reason = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(reason, _)| reason);
    Diagnostic::error(&codes::JSON_SYNTAX, format!("not valid JSON: {reason}"))
}

/// The part of the text that is not read yet, and where it starts.
struct Cursor<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
}

impl<'t> Cursor<'t> {
    /// Takes `length` bytes, which end at a character's end.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        for character in taken.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.rest = rest;
        taken
    }
}
