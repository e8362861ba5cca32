//! Scalars: which strings may stand unquoted, and how the others are quoted.
//!
//! A string is plain only if it is ASCII without control characters, starts with a letter or
//! one of `_ / ^ (`, is no word that some reader resolves (`yes`, `off`, `null`, ...), and holds
//! neither `: ` nor ` #`. Numbers, dates and sexagesimals start with a digit, a sign or a dot,
//! and every indicator is outside of the allowed first characters, so nothing else needs a rule.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// Words that YAML 1.1, Go or a lax reader takes for a boolean, null or float, in any case.
const WORDS: [&str; 12] = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity",
];
const LONGEST_WORD: usize = 8;

/// Writes a scalar, `{}` or `[]`; `column` is where the entry starts that holds it.
pub(super) fn write(value: &Value, column: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => {
            let scan = Scan::of(text);
            if scan.is_block(text) {
                block(text, column + super::STEP, out);
            } else {
                flow(text, scan, out);
            }
        }
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
    }
}

/// Writes a map key, always on one line.
pub(super) fn key(text: &str, out: &mut String) {
    flow(text, Scan::of(text), out);
}

/// A float keeps a `.` and a signed exponent: YAML 1.1 reads `1e16` as a string.
fn write_number(number: &Number, out: &mut String) {
    let start = out.len();
    // Writing to a String does not fail.
    let _ = write!(out, "{number}");
    if !number.is_f64() {
        return;
    }
    let written = &out[start..];
    let exponent = written.find('e');
    let has_point = written.contains('.');
    match exponent {
        Some(at) => {
            let digits = start + at + 1;
            if !matches!(out.as_bytes().get(digits), Some(b'-' | b'+')) {
                out.insert(digits, '+');
            }
            if !has_point {
                out.insert_str(start + at, ".0");
            }
        }
        None if !has_point => out.push_str(".0"),
        None => {}
    }
}

const LINE_BREAK: u8 = 1;
const TAB: u8 = 2;
/// Something that only a double-quoted escape can carry.
const ESCAPE: u8 = 4;
const NON_ASCII: u8 = 8;
const DOUBLE_QUOTE_OR_BACKSLASH: u8 = 16;
const SINGLE_QUOTE: u8 = 32;
const COLON_OR_HASH: u8 = 64;

const fn class(byte: u8) -> u8 {
    match byte {
        b'\n' => LINE_BREAK,
        b'\t' => TAB,
        0..=0x1f | 0x7f => ESCAPE,
        b'"' | b'\\' => DOUBLE_QUOTE_OR_BACKSLASH,
        b'\'' => SINGLE_QUOTE,
        b':' | b'#' => COLON_OR_HASH,
        0x80.. => NON_ASCII,
        _ => 0,
    }
}

/// [`class`] of every byte.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    loop {
        classes[byte as usize] = class(byte);
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

/// The classes of bytes that occur in a string, found in one pass.
#[derive(Clone, Copy)]
struct Scan(u8);

impl Scan {
    fn of(text: &str) -> Self {
        let mut found = text
            .bytes()
            .fold(0, |found, byte| found | CLASSES[usize::from(byte)]);
        if found & NON_ASCII != 0 && text.chars().any(needs_escape) {
            found |= ESCAPE;
        }
        Self(found)
    }

    fn has(self, classes: u8) -> bool {
        self.0 & classes != 0
    }

    /// Whether a literal block holds the text byte for byte, whoever reads or edits the file:
    /// no first line that hides the indentation, no spaces at a line end.
    fn is_block(self, text: &str) -> bool {
        if !self.has(LINE_BREAK) || self.has(ESCAPE) {
            return false;
        }
        let hides_indentation = text.starts_with([' ', '\t', '\n']);
        let trailing_space = text.split('\n').any(|line| line.ends_with([' ', '\t']));
        !hides_indentation && !trailing_space
    }

    fn is_plain(self, text: &str) -> bool {
        if self.has(LINE_BREAK | TAB | ESCAPE | NON_ASCII) {
            return false;
        }
        let Some(first) = text.bytes().next() else {
            return false;
        };
        let starts_plain = first.is_ascii_alphabetic() || b"_/^(".contains(&first);
        let ends_plain = !text.ends_with([' ', ':']);
        starts_plain && ends_plain && !self.has_separator(text) && !is_word(text)
    }

    /// Whether a reader would see the end of a key or the start of a comment.
    fn has_separator(self, text: &str) -> bool {
        self.has(COLON_OR_HASH) && (text.contains(": ") || text.contains(" #"))
    }

    /// Patterns and JSON texts stay readable in single quotes, which know no escapes.
    fn is_single_quoted(self) -> bool {
        self.has(DOUBLE_QUOTE_OR_BACKSLASH) && !self.has(LINE_BREAK | TAB | ESCAPE | SINGLE_QUOTE)
    }
}

fn is_word(text: &str) -> bool {
    text.len() <= LONGEST_WORD && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Characters beyond ASCII that a reader refuses, drops or takes for a line break.
fn needs_escape(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

fn flow(text: &str, scan: Scan, out: &mut String) {
    if scan.is_plain(text) {
        out.push_str(text);
    } else if scan.is_single_quoted() {
        out.push('\'');
        out.push_str(text);
        out.push('\'');
    } else {
        double_quoted(text, out);
    }
}

fn double_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_ascii_control() || needs_escape(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// A literal block. Its last line break is the one of the text, or of `|-`.
fn block(text: &str, column: usize, out: &mut String) {
    let body = text.trim_end_matches('\n');
    out.push_str(match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    });
    for line in text.split_terminator('\n') {
        out.push('\n');
        if !line.is_empty() {
            super::indent(column, out);
            out.push_str(line);
        }
    }
    out.push('\n');
}
