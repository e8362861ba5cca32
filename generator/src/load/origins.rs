//! Where the values of a loaded fleet were written.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::node::{Entry, Node, Value};
use crate::diagnostic::{Diagnostic, Position, Snippet};

/// The text of every input, for showing lines of it.
#[derive(Debug, Default)]
pub(super) struct Texts(BTreeMap<Arc<str>, String>);

impl Texts {
    /// Keeps the text of a file; the first of two with the same name stays.
    pub(super) fn keep(&mut self, file: Arc<str>, text: String) {
        self.0.entry(file).or_insert(text);
    }

    fn snippet(&self, position: &Position) -> Option<Snippet> {
        let line = self.0.get(&position.file)?.lines().nth(index(position)?)?;
        Some(Snippet::cut(line, position))
    }

    /// Adds to each diagnostic the line that it points at.
    pub(super) fn illustrate(&self, diagnostics: &mut [Diagnostic]) {
        // Looking for the line anew for each of a thousand problems would take seconds.
        let mut lines: BTreeMap<&Arc<str>, Vec<&str>> = BTreeMap::new();
        for diagnostic in diagnostics {
            diagnostic.snippet = diagnostic.at.as_ref().and_then(|at| {
                let (file, text) = self.0.get_key_value(&at.file)?;
                let lines = lines.entry(file).or_insert_with(|| text.lines().collect());
                Some(Snippet::cut(lines.get(index(at)?)?, at))
            });
        }
    }
}

/// Of the line, from 0.
fn index(position: &Position) -> Option<usize> {
    usize::try_from(position.line).ok()?.checked_sub(1)
}

/// Leads from a path in the fleet to the user's files, also after loading: a later check that
/// finds a fault in a rendered object can point at the line that caused it.
#[derive(Debug)]
pub struct Origins {
    pub(super) root: Node,
    pub(super) texts: Texts,
}

impl Origins {
    /// Where the value at `path` was written, or the nearest of its ancestors that exists.
    ///
    /// A step is a key or, for a list, an index from 0. A map or list is found at its key, a
    /// scalar at its value.
    pub fn position(&self, path: &[&str]) -> Position {
        position(&self.root, path)
    }

    /// The line at a position, for [`Diagnostic::snippet`].
    pub fn snippet(&self, position: &Position) -> Option<Snippet> {
        self.texts.snippet(position)
    }

    /// Adds to each diagnostic the line that it points at.
    pub fn illustrate(&self, diagnostics: &mut [Diagnostic]) {
        self.texts.illustrate(diagnostics);
    }
}

/// See [`Origins::position`].
pub(super) fn position(root: &Node, path: &[&str]) -> Position {
    let mut node = root;
    let mut at = &root.at;
    for step in path {
        let next = match &node.value {
            Value::Map(entries) => entries.get(step).map(|Entry { key_at, node, .. }| {
                let at = match &node.value {
                    Value::Scalar(_) => &node.at,
                    Value::List(_) | Value::Map(_) => key_at,
                };
                (node, at)
            }),
            Value::List(items) => {
                let index = step.parse::<usize>().ok();
                index
                    .and_then(|index| items.get(index))
                    .map(|node| (node, &node.at))
            }
            Value::Scalar(_) => None,
        };
        match next {
            Some(found) => (node, at) = found,
            None => break,
        }
    }
    at.clone()
}
