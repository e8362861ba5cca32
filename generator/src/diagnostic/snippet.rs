//! The line of the input that a diagnostic points at.

use serde::Serialize;

use super::Position;

/// Most characters of a line that are shown; minified JSON has lines of megabytes.
const WIDTH: usize = 100;
/// Characters kept before the column when a line is cut.
const BEFORE: usize = 40;

/// One line of the input, cut to a readable width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// Line number, from 1.
    pub line: u32,
    /// The line or the part of it around the column, without control characters except tabs.
    pub text: String,
    /// Characters of `text` before the place that is meant.
    pub caret: usize,
}

impl Snippet {
    /// Cuts the readable part out of the line at `position`.
    pub fn cut(line: &str, position: &Position) -> Self {
        let column = position.column.saturating_sub(1) as usize;
        let start = if line.chars().count() > WIDTH {
            column.saturating_sub(BEFORE)
        } else {
            0
        };
        let text = line
            .chars()
            .skip(start)
            .take(WIDTH)
            .map(|character| match character {
                '\t' => '\t',
                control if control.is_control() => char::REPLACEMENT_CHARACTER,
                other => other,
            })
            .collect();
        Self {
            line: position.line,
            text,
            caret: column - start,
        }
    }

    /// White space as wide as the text before the caret.
    pub(super) fn indent(&self) -> String {
        self.text
            .chars()
            .chain(std::iter::repeat(' '))
            .take(self.caret)
            .map(|character| if character == '\t' { '\t' } else { ' ' })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str, column: u32) -> Snippet {
        let position = Position {
            file: "f".into(),
            line: 1,
            column,
        };
        Snippet::cut(line, &position)
    }

    #[test]
    fn the_caret_counts_characters_not_bytes() {
        let snippet = cut("\tü: x", 5);
        assert_eq!((snippet.text.as_str(), snippet.caret), ("\tü: x", 4));
        assert_eq!(snippet.indent(), "\t   ");
    }

    #[test]
    fn a_huge_line_is_cut_around_the_column() {
        let line = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let snippet = cut(&line, 5001);
        assert_eq!(snippet.text.chars().count(), WIDTH);
        assert_eq!(snippet.text.chars().nth(snippet.caret), Some('X'));
    }

    #[test]
    fn an_escape_character_in_the_file_does_not_reach_the_terminal() {
        assert_eq!(cut("a\u{1b}b", 1).text, "a\u{fffd}b");
    }
}
