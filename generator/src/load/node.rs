//! The input as a tree in which every value and every key knows where it was written.

use std::fmt;

pub use super::map::{Entry, Map};
use super::scalar::Scalar;
use crate::diagnostic::Position;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where the value starts; for a map in block style that is its first key.
    pub at: Position,
    /// What is written there.
    pub value: Value,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, number, boolean or null.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A map with unique text keys.
    Map(Map),
}

impl Node {
    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            Value::Scalar(_) | Value::List(_) => None,
        }
    }

    /// Whether this is a null, written as such or left empty.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What a person calls this kind of value.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) => scalar.kind(),
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

/// The way from the root of a tree to a node, built while walking it.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The root.
    Root,
    /// An entry of a map.
    Key(&'a Path<'a>, &'a str),
    /// An element of a list, from 0.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The path of an entry of the map at this path.
    #[must_use]
    pub fn key(&'a self, key: &'a str) -> Self {
        Path::Key(self, key)
    }

    /// The path of an element of the list at this path.
    #[must_use]
    pub fn index(&'a self, index: usize) -> Self {
        Path::Index(self, index)
    }

    /// Keys and indices from the root, as [`super::Origins::position`] takes them.
    pub fn steps(&self) -> Vec<String> {
        match self {
            Path::Root => Vec::new(),
            Path::Key(parent, key) => {
                let mut steps = parent.steps();
                steps.push((*key).to_owned());
                steps
            }
            Path::Index(parent, index) => {
                let mut steps = parent.steps();
                steps.push(index.to_string());
                steps
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    /// `clusters.payments.pools[2]`; a key that is not a plain word is quoted.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Index(parent, index) => write!(out, "{parent}[{index}]"),
            Path::Key(parent, key) => {
                if !matches!(parent, Path::Root) {
                    write!(out, "{parent}.")?;
                }
                let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
                if !key.is_empty() && key.chars().all(plain) {
                    out.write_str(key)
                } else {
                    write!(out, "{key:?}")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_people_write_it() {
        let clusters = Path::Root.key("clusters");
        let payments = clusters.key("payments");
        let pools = payments.key("pools");
        assert_eq!(pools.index(2).to_string(), "clusters.payments.pools[2]");
        assert_eq!(payments.key("a.b").to_string(), "clusters.payments.\"a.b\"");
        assert_eq!(Path::Root.to_string(), "");
    }
}
