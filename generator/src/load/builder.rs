//! Builds one document's tree from what a reader meets, within the limits.
//!
//! The YAML and the JSON reader both drive it, so that duplicate keys, depth and size mean the
//! same in both.

use std::collections::HashMap;
use std::sync::Arc;

use super::node::{Entry, Map, Node, Value};
use super::problems::Problems;
use super::scalar::{Reading, Scalar};
use crate::diagnostic::{Diagnostic, Position, codes, shown};

/// Deepest nesting of maps and lists.
pub const DEPTH_LIMIT: usize = 64;
/// Values in all documents together, after aliases are expanded.
pub const VALUE_LIMIT: usize = 2_000_000;
/// Bytes of text that count as one more value.
const BYTES_PER_VALUE: usize = 64;

/// How many values may still be made, shared by all documents of one input.
#[derive(Debug)]
pub struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(VALUE_LIMIT)
    }
}

/// A problem after which the rest of the document cannot be read.
pub type Fatal = Box<Diagnostic>;

/// The kinds of container.
#[derive(Clone, Copy, Debug)]
pub enum Container {
    /// A list.
    List,
    /// A map.
    Map,
}

/// Identifies the target of aliases within a document.
pub type Anchor = usize;

/// See the module.
#[derive(Debug)]
pub struct Builder<'a> {
    budget: &'a mut Budget,
    problems: &'a mut Problems,
    stack: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<Anchor, Part>,
}

/// A container that is not complete yet.
#[derive(Debug)]
struct Open {
    at: Position,
    children: Children,
    anchor: Option<Anchor>,
    weight: usize,
    height: usize,
}

#[derive(Debug)]
enum Children {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<(String, Position)>,
    },
}

/// A complete node with its share of the limits.
#[derive(Clone, Debug)]
struct Part {
    node: Node,
    /// Values in the node, itself included.
    weight: usize,
    /// Levels of containers in the node.
    height: usize,
}

impl<'a> Builder<'a> {
    /// A builder of one document; problems that do not stop the reading go to `problems`.
    pub fn new(budget: &'a mut Budget, problems: &'a mut Problems) -> Self {
        Self {
            budget,
            problems,
            stack: Vec::new(),
            root: None,
            anchors: HashMap::new(),
        }
    }

    /// The root of the document, none if it held nothing.
    pub fn finish(self) -> Option<Node> {
        self.root
    }

    /// Reports a problem that does not stop the reading.
    pub fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Whether the next node is a key.
    pub fn expects_key(&self) -> bool {
        matches!(
            self.stack.last(),
            Some(Open {
                children: Children::Map { key: None, .. },
                ..
            })
        )
    }

    /// Where the key is whose value comes next.
    pub fn key_position(&self) -> Option<&Position> {
        match &self.stack.last()?.children {
            Children::Map { key, .. } => key.as_ref().map(|(_, at)| at),
            Children::List(_) => None,
        }
    }

    /// A key of the current map.
    pub fn key(&mut self, at: &Position, scalar: Scalar) {
        match scalar.reading() {
            Reading::Text(_) => {}
            Reading::Ambiguous(_) if scalar == Scalar::Plain("<<".into()) => self.report(
                Diagnostic::error(&codes::MERGE_KEY, "the merge key `<<` is not supported")
                    .at(at.clone())
                    .hint("use a tier or a class for what is shared, or a second layer"),
            ),
            _ => {
                let written = shown(scalar.as_written().unwrap_or_default());
                self.report(
                    Diagnostic::error(
                        &codes::KEY_NOT_TEXT,
                        format!("the key {written} is not text for every reader"),
                    )
                    .at(at.clone())
                    .hint("put it in quotes"),
                );
            }
        }
        let (Scalar::Plain(text) | Scalar::Text(text)) = scalar else {
            return;
        };
        if let Some(Open {
            children: Children::Map { key, .. },
            ..
        }) = self.stack.last_mut()
        {
            *key = Some((text, at.clone()));
        }
    }

    /// A scalar that is not a key.
    pub fn scalar(
        &mut self,
        at: Position,
        scalar: Scalar,
        anchor: Option<Anchor>,
    ) -> Result<(), Fatal> {
        let length = scalar.as_written().map_or(0, str::len);
        let part = Part {
            weight: 1 + length / BYTES_PER_VALUE,
            height: 0,
            node: Node {
                at,
                value: Value::Scalar(scalar),
            },
        };
        self.spend(part.weight, &part.node.at)?;
        self.add(part, anchor)
    }

    /// The start of a map or list.
    pub fn open(
        &mut self,
        at: Position,
        container: Container,
        anchor: Option<Anchor>,
    ) -> Result<(), Fatal> {
        self.check_depth(1, &at)?;
        self.spend(1, &at)?;
        self.stack.push(Open {
            at,
            children: match container {
                Container::List => Children::List(Vec::new()),
                Container::Map => Children::Map {
                    entries: Vec::new(),
                    key: None,
                },
            },
            anchor,
            weight: 1,
            height: 1,
        });
        Ok(())
    }

    /// The end of the map or list that was opened last.
    pub fn close(&mut self) -> Result<(), Fatal> {
        let Some(open) = self.stack.pop() else {
            return Ok(());
        };
        let value = match open.children {
            Children::List(items) => Value::List(items),
            Children::Map { entries, .. } => Value::Map(Map::new(entries, |first, second| {
                self.problems.push(duplicate(first, second));
            })),
        };
        let part = Part {
            node: Node { at: open.at, value },
            weight: open.weight,
            height: open.height,
        };
        self.add(part, open.anchor)
    }

    /// A copy of the node that carries the anchor.
    pub fn alias(&mut self, at: &Position, anchor: Anchor) -> Result<(), Fatal> {
        let Some(target) = self.anchors.get(&anchor) else {
            return Err(Box::new(unknown_anchor(at.clone())));
        };
        let (weight, height) = (target.weight, target.height);
        self.check_depth(height, at)?;
        self.spend(weight, at)?;
        if let Some(part) = self.anchors.get(&anchor).cloned() {
            self.add(part, None)?;
        }
        Ok(())
    }

    fn check_depth(&self, height: usize, at: &Position) -> Result<(), Fatal> {
        if self.stack.len() + height <= DEPTH_LIMIT {
            return Ok(());
        }
        Err(Box::new(too_deep(at.clone())))
    }

    fn spend(&mut self, weight: usize, at: &Position) -> Result<(), Fatal> {
        if let Some(left) = self.budget.0.checked_sub(weight) {
            self.budget.0 = left;
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(
                &codes::TOO_MANY_VALUES,
                format!(
                    "the input holds more than {VALUE_LIMIT} values after aliases are expanded"
                ),
            )
            .at(at.clone())
            .hint("write what is shared once, in a tier or a class, instead of using aliases"),
        ))
    }

    /// Puts a complete node into the container it belongs to.
    fn add(&mut self, part: Part, anchor: Option<Anchor>) -> Result<(), Fatal> {
        if let Some(anchor) = anchor {
            self.spend(part.weight, &part.node.at)?;
            self.anchors.insert(anchor, part.clone());
        }
        let Some(parent) = self.stack.last_mut() else {
            self.root = Some(part.node);
            return Ok(());
        };
        parent.weight += part.weight;
        parent.height = parent.height.max(part.height + 1);
        match &mut parent.children {
            Children::List(items) => items.push(part.node),
            Children::Map { entries, key } => {
                if let Some((key, key_at)) = key.take() {
                    entries.push(Entry {
                        key,
                        key_at,
                        node: part.node,
                    });
                }
            }
        }
        Ok(())
    }
}

fn duplicate(first: &Entry, second: &Entry) -> Diagnostic {
    let key = shown(&second.key);
    Diagnostic::error(
        &codes::DUPLICATE_KEY,
        format!("the key {key} is written twice in one map"),
    )
    .at(second.key_at.clone())
    .related("first written here", first.key_at.clone())
    .hint("keep one of the two")
}

/// The problem of nesting beyond [`DEPTH_LIMIT`].
pub fn too_deep(at: Position) -> Diagnostic {
    Diagnostic::error(
        &codes::TOO_DEEP,
        format!("maps and lists are nested more than {DEPTH_LIMIT} levels deep"),
    )
    .at(at)
    .hint("a fleet needs about ten levels; is this the right file?")
}

/// The problem of an alias without a target.
pub fn unknown_anchor(at: Position) -> Diagnostic {
    Diagnostic::error(
        &codes::ALIAS,
        "the alias refers to no complete value of this document",
    )
    .at(at)
    .hint("put the anchor `&name` on an earlier value, outside of which the alias stands")
}

/// Positions in one file.
#[derive(Clone, Debug)]
pub struct File(pub Arc<str>);

impl File {
    /// A position from a line and a column that count from 1, cut to what fits.
    pub fn position(&self, line: usize, column: usize) -> Position {
        Position {
            file: Arc::clone(&self.0),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}
