//! The problems found so far.

use crate::diagnostic::Diagnostic;

/// Problems kept; nobody reads more, and a hostile file could cause millions.
const LIMIT: usize = 1000;

/// A list that stops growing at a thousand.
#[derive(Debug, Default)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// Adds a problem, unless there are too many already.
    pub fn push(&mut self, problem: Diagnostic) {
        if self.0.len() < LIMIT {
            self.0.push(problem);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes back what was found since there were `len`.
    pub fn split_off(&mut self, len: usize) -> Vec<Diagnostic> {
        self.0.split_off(len)
    }

    /// All problems, in the order of their places.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.0.sort_by(|left, right| left.at.cmp(&right.at));
        self.0
    }
}

impl Extend<Diagnostic> for Problems {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, problems: I) {
        for problem in problems {
            self.push(problem);
        }
    }
}
