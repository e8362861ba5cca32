//! Words and literals of the language.

use std::fmt::Write;

/// Words that an attribute may only have for a name behind a `$`.
const RESERVED: &[&str] = &[
    "False",
    "None",
    "True",
    "Undefined",
    "all",
    "and",
    "any",
    "as",
    "assert",
    "bool",
    "check",
    "elif",
    "else",
    "filter",
    "float",
    "for",
    "if",
    "import",
    "in",
    "int",
    "is",
    "lambda",
    "map",
    "mixin",
    "not",
    "or",
    "protocol",
    "relaxed",
    "rule",
    "schema",
    "str",
    "type",
];

/// How an attribute is written where it is declared and in checks.
pub fn attribute(name: &str) -> String {
    if RESERVED.contains(&name) {
        format!("${name}")
    } else {
        name.to_owned()
    }
}

/// A string literal in which nothing but `\`, `"`, control characters and `${` is special.
pub fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '$' => literal.push_str("\\$"),
            control if control.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(literal, "\\u{:04x}", u32::from(control));
            }
            other => literal.push(other),
        }
    }
    literal.push('"');
    literal
}

/// A regular expression as a string literal.
pub fn pattern(pattern: &str) -> String {
    format!("r\"{}\"", pattern.replace('"', "\\x22"))
}
