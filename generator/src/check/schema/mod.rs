//! Objects against the schema of their CRD, as the API server would read it.
//!
//! An own walk instead of a general JSON Schema validator: CRDs use a small part of JSON Schema
//! and add to it (pruning, keyed lists, integers or text), and each fault needs a place and a
//! hint. A test holds our CRDs to the keywords that the walk knows.

mod compile;
mod limits;
mod walk;

use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

pub use walk::check;

/// A schema, made ready for walking.
#[derive(Debug)]
pub struct Schema {
    /// What the value may be.
    shape: Shape,
    /// Whether `null` is accepted too.
    nullable: bool,
    /// The only accepted values; none for any.
    allowed: Option<Vec<Value>>,
    /// Characters of a text, entries of a list or map.
    size: Bounds<usize>,
}

#[derive(Debug)]
enum Shape {
    Any,
    Boolean,
    Integer(Bounds<f64>),
    Number(Bounds<f64>),
    Text(Option<Regex>),
    IntegerOrText,
    List { items: Box<Schema>, keyed: Keyed },
    Map(Map),
}

/// What tells the entries of a list apart.
#[derive(Debug)]
enum Keyed {
    Position,
    Value,
    Fields(Vec<String>),
}

#[derive(Debug)]
struct Map {
    properties: BTreeMap<String, Schema>,
    required: Vec<String>,
    others: Others,
}

/// What a map may hold beside its properties.
#[derive(Debug)]
enum Others {
    /// Nothing: the server drops it.
    Pruned,
    Kept,
    Are(Box<Schema>),
}

/// Bounds, both inclusive.
#[derive(Clone, Copy, Debug)]
struct Bounds<T> {
    min: Option<T>,
    max: Option<T>,
}
