//! A schema as named records.
//!
//! JSON Schema nests objects without names and says the same thing in several ways. KCL and the
//! reference pages need names, and one way.

mod names;
mod read;

use serde_json::Value;

pub use read::records;

/// An object with known fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Name, unique among the records of one schema.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Fields, in the order of the schema.
    pub fields: Vec<Field>,
    /// CEL rules.
    pub rules: Vec<Rule>,
    /// Whether it may have fields that are not listed.
    pub open: bool,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it must be written.
    pub required: bool,
    /// Value when it is not written.
    pub default: Option<Value>,
    /// What values it takes.
    pub shape: Shape,
    /// CEL rules.
    pub rules: Vec<Rule>,
}

/// A CEL rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The expression.
    pub rule: String,
    /// What the user reads when it is false.
    pub message: String,
}

/// What values are allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Anything.
    Any,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer(Bounds),
    /// A number.
    Number(Bounds),
    /// A whole number or text.
    IntegerOrText,
    /// Text.
    Text {
        /// Number of characters.
        length: Bounds,
        /// Regular expression that it matches.
        pattern: Option<String>,
    },
    /// One of some texts.
    Choice(Vec<Choice>),
    /// A list.
    List {
        /// Shape of each item.
        items: Box<Shape>,
        /// Number of items.
        length: Bounds,
    },
    /// A map from free keys.
    Map {
        /// Regular expression that each key matches.
        keys: Option<String>,
        /// Shape of each value.
        values: Box<Shape>,
    },
    /// The record of this name.
    Record(String),
}

/// Smallest and largest value, where there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Smallest.
    pub min: Option<i64>,
    /// Largest.
    pub max: Option<i64>,
}

/// One value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// What it means; empty where the schema does not say.
    pub description: String,
}

#[cfg(test)]
mod tests;
