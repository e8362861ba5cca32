//! Diagnostics as text for people.
//!
//! ```text
//! fleet.yaml:12:5: error[BL0301]: unknown field `replcas`
//!    |
//! 12 |     replcas: 3
//!    |     ^
//!    = in: tiers.gold
//!    = hint: did you mean `replicas`?
//! ```

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Diagnostic, Severity};

/// Colours of the parts. Whether to use them is the caller's decision: it knows the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Styles {
    error: Style,
    warning: Style,
    message: Style,
    frame: Style,
}

impl Styles {
    /// No escape sequences at all.
    pub const PLAIN: Self = Self {
        error: Style::new(),
        warning: Style::new(),
        message: Style::new(),
        frame: Style::new(),
    };
    /// Colours that are readable on a dark and on a light background.
    pub const COLOURED: Self = Self {
        error: AnsiColor::Red.on_default().bold(),
        warning: AnsiColor::Yellow.on_default().bold(),
        message: Style::new().bold(),
        frame: AnsiColor::Blue.on_default().bold(),
    };
}

/// The text of all diagnostics, one blank line between two, and a summary as the last line.
///
/// Empty when there are none.
pub fn text(diagnostics: &[Diagnostic], styles: &Styles) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        one(&mut out, diagnostic, styles);
        out.push('\n');
    }
    let summary = summary(diagnostics);
    if !summary.is_empty() {
        out.push_str(&summary);
        out.push('\n');
    }
    out
}

/// How many errors and warnings there are; empty when there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity| {
        diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    };
    let named = |count: usize, name: &str| match count {
        0 => None,
        1 => Some(format!("1 {name}")),
        more => Some(format!("{more} {name}s")),
    };
    let parts: Vec<String> = [
        named(count(Severity::Error), "error"),
        named(count(Severity::Warning), "warning"),
    ]
    .into_iter()
    .flatten()
    .collect();
    parts.join(", ")
}

fn one(out: &mut String, diagnostic: &Diagnostic, styles: &Styles) {
    let (word, style) = match diagnostic.severity {
        Severity::Error => ("error", styles.error),
        Severity::Warning => ("warning", styles.warning),
    };
    let Styles { message, frame, .. } = styles;
    if let Some(at) = &diagnostic.at {
        line(out, format_args!("{message}{at}:{message:#} "), "");
    }
    let code = diagnostic.code;
    line(
        out,
        format_args!("{style}{word}[{code}]{style:#}{message}: "),
        &diagnostic.message,
    );
    line(out, format_args!("{message:#}\n"), "");

    let mut margin = 1;
    if let Some(snippet) = &diagnostic.snippet {
        let number = snippet.line.to_string();
        margin = number.len();
        let text = snippet.text.trim_end();
        let indent = snippet.indent();
        line(out, format_args!("{frame}{:margin$} |{frame:#}\n", ""), "");
        line(out, format_args!("{frame}{number} |{frame:#} {text}\n"), "");
        line(
            out,
            format_args!(
                "{frame}{:margin$} |{frame:#} {indent}{style}^{style:#}\n",
                ""
            ),
            "",
        );
    }
    let mut note = |name: &str, text: &str| {
        line(
            out,
            format_args!(
                "{frame}{:margin$} ={frame:#} {message}{name}:{message:#} ",
                ""
            ),
            text,
        );
        out.push('\n');
    };
    if !diagnostic.path.is_empty() {
        note("in", &diagnostic.path);
    }
    for related in &diagnostic.related {
        note("see", &format!("{}: {}", related.at, related.message));
    }
    if let Some(hint) = &diagnostic.hint {
        note("hint", hint);
    }
}

/// Writes our own frame as it is, then text that may hold a user's words with control characters
/// escaped: a file must not be able to move the cursor of whoever reads the log.
fn line(out: &mut String, frame: std::fmt::Arguments<'_>, text: &str) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(frame);
    for character in text.chars() {
        if character.is_control() {
            out.extend(character.escape_debug());
        } else {
            out.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::diagnostic::{Position, Snippet, codes};

    fn position(line: u32, column: u32) -> Position {
        Position {
            file: "fleet.yaml".into(),
            line,
            column,
        }
    }

    fn example() -> Diagnostic {
        let at = position(2, 3);
        let mut diagnostic =
            Diagnostic::error(&codes::DUPLICATE_KEY, "the key `a` is written twice")
                .at(at.clone())
                .path("clusters")
                .related("first written here", position(1, 3))
                .hint("keep one of the two");
        diagnostic.snippet = Some(Snippet::cut("  a: 1", &at));
        diagnostic
    }

    #[test]
    fn text_names_place_code_line_and_remedy() {
        let expected = "\
fleet.yaml:2:3: error[BL0107]: the key `a` is written twice
  |
2 |   a: 1
  |   ^
  = in: clusters
  = see: fleet.yaml:1:3: first written here
  = hint: keep one of the two

1 error
";
        assert_eq!(text(&[example()], &Styles::PLAIN), expected);
    }

    #[test]
    fn colours_add_nothing_but_escape_sequences() {
        let coloured = text(&[example()], &Styles::COLOURED);
        assert!(coloured.contains('\u{1b}'));
        let stripped = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(stripped, text(&[example()], &Styles::PLAIN));
    }

    #[test]
    fn a_message_cannot_move_the_cursor() {
        let diagnostic = Diagnostic::warning(&codes::UNKNOWN_FIELD, "field \u{1b}[2J\n");
        assert_eq!(
            text(&[diagnostic], &Styles::PLAIN),
            "warning[BL0301]: field \\u{1b}[2J\\n\n\n1 warning\n"
        );
    }

    #[test]
    fn nothing_found_is_nothing_said() {
        assert_eq!(text(&[], &Styles::PLAIN), "");
    }

    #[test]
    fn json_leaves_out_what_is_empty() {
        let diagnostic = Diagnostic::error(&codes::UNKNOWN_FIELD, "m").at(position(1, 2));
        assert_eq!(
            serde_json::to_value(diagnostic).unwrap(),
            serde_json::json!({
                "severity": "error", "code": "BL0301", "message": "m",
                "at": {"file": "fleet.yaml", "line": 1, "column": 2},
            })
        );
    }
}
