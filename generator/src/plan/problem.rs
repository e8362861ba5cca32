//! What is wrong with a fleet, at a place in it.

use std::fmt;

use super::codes;
use crate::diagnostic::{Diagnostic, codes::Code};

/// Something in the fleet that cannot be planned or rendered.
///
/// It names a place by path, not by file: the loader knows in which file and line that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is; `docs/errors.md` explains each.
    pub code: &'static Code,
    /// Keys from the top of the fleet to the place.
    pub path: Vec<String>,
    /// What is wrong, and why that matters.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn new(code: &'static Code, path: &[&str], message: impl Into<String>) -> Self {
        Self {
            code,
            path: path.iter().map(|&key| key.to_owned()).collect(),
            message: message.into(),
            hint: None,
        }
    }

    /// The problem as a diagnostic at its place in the user's files.
    pub fn locate(self, origins: &crate::load::Origins) -> Diagnostic {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let at = (!path.is_empty()).then(|| origins.position(&path));
        let snippet = at.as_ref().and_then(|at| origins.snippet(at));
        let mut diagnostic = Diagnostic::error(self.code, self.message)
            .at(at)
            .path(path.join("."));
        diagnostic.snippet = snippet;
        diagnostic.hint = self.hint;
        diagnostic
    }

    /// A reference to something that the fleet does not have; none when it is among the `known`.
    pub fn unknown_name(path: &[&str], what: &str, name: &str, known: &[&str]) -> Option<Self> {
        (!known.contains(&name)).then(|| {
            let message = format!("the fleet has no {what} named `{name}`");
            Self::new(&codes::UNKNOWN_REFERENCE, path, message)
                .expected(name, known.iter().copied())
        })
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the nearest of the names that would have been right, or lists them.
    #[must_use]
    pub fn expected<'a>(self, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Self {
        if let Some(nearest) = crate::diagnostic::nearest(word, known.clone()) {
            return self.hint(format!("did you mean `{nearest}`?"));
        }
        let names: Vec<_> = known.take(12).map(|name| format!("`{name}`")).collect();
        if names.is_empty() {
            self
        } else {
            self.hint(format!("known are {}", names.join(", ")))
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.join("."), self.message)
    }
}
