//! What is wrong with the input, where, why, and what to do about it.
//!
//! A [`Diagnostic`] is data: every part of the generator makes them, [`render`] turns them into
//! text for people, and `serde` turns them into JSON for editors and CI.

pub mod codes;
pub mod render;
mod snippet;
mod suggest;

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

pub use self::codes::Code;
pub use self::snippet::Snippet;
pub use self::suggest::{nearest, shown};

/// A place in an input file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// Name of the file as the user gave it; `-` for standard input.
    #[serde(serialize_with = "file_name")]
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.file, self.line, self.column)
    }
}

fn file_name<S: Serializer>(file: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(file)
}

/// Whether the input can be used in spite of the finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is rendered.
    Error,
    /// Worth a look; rendering goes on.
    Warning,
}

/// A second place that explains the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    /// What is to be seen there.
    pub message: String,
    /// Where to look.
    pub at: Position,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable identifier such as `BL0107`, explained in the table of [`codes`].
    pub code: &'static str,
    /// One line: what is wrong.
    pub message: String,
    /// The place to edit; none where no file is involved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Position>,
    /// The field, such as `clusters.payments.tier`; empty for the whole input.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The line at [`Self::at`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<Snippet>,
    /// One line: what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Other places that take part, such as the first of two equal keys.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// An error; the builder methods add to it.
    pub fn error(code: &Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: code.id,
            message: message.into(),
            at: None,
            path: String::new(),
            snippet: None,
            hint: None,
            related: Vec::new(),
        }
    }

    /// A warning; the builder methods add to it.
    pub fn warning(code: &Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// Sets the place to edit.
    #[must_use]
    pub fn at(mut self, at: impl Into<Option<Position>>) -> Self {
        self.at = at.into();
        self
    }

    /// Sets the field, such as `clusters.payments.tier`.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the hint "did you mean ...?" when a candidate is near enough to `word`.
    #[must_use]
    pub fn hint_nearest<'a>(
        self,
        word: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        match nearest(word, candidates) {
            Some(candidate) => self.hint(format!("did you mean `{candidate}`?")),
            None => self,
        }
    }

    /// Adds a second place.
    #[must_use]
    pub fn related(mut self, message: impl Into<String>, at: Position) -> Self {
        self.related.push(Related {
            message: message.into(),
            at,
        });
        self
    }
}
