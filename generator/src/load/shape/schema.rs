//! The part of JSON Schema that our types are described with, made ready for walking.
//!
//! Compiling is one pass that borrows from the schema and costs less than a millisecond; regular
//! expressions are compiled when they are first needed.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

/// A JSON Schema document.
#[derive(Debug)]
pub struct Document<'s> {
    /// The schema of the whole value.
    pub root: Schema<'s>,
    /// What `#/$defs/<name>` refers to.
    pub definitions: BTreeMap<&'s str, Schema<'s>>,
}

/// One schema. Keywords that are not here (titles, defaults, formats) do not restrict a value.
#[derive(Debug, Default)]
pub struct Schema<'s> {
    /// Nothing is valid: the schema `false`.
    pub never: bool,
    /// Name of the definition that applies too.
    pub reference: Option<&'s str>,
    /// What the value is for.
    pub description: Option<&'s str>,
    /// Allowed types; none for any.
    pub types: Option<Types>,
    /// `enum`, or `const` as its only member.
    pub allowed: Option<Vec<&'s Value>>,
    /// Known entries of a map.
    pub properties: BTreeMap<&'s str, Schema<'s>>,
    /// Entries of a map whose key matches the regular expression.
    pub pattern_properties: Vec<(&'s str, Schema<'s>)>,
    /// All other entries of a map.
    pub additional: Option<Box<Schema<'s>>>,
    /// The keys of a map.
    pub property_names: Option<Box<Schema<'s>>>,
    /// Keys that a map must have.
    pub required: Vec<&'s str>,
    /// Elements of a list.
    pub items: Option<Box<Schema<'s>>>,
    /// Whether the elements of a list must differ.
    pub unique: bool,
    /// Regular expression for a text.
    pub pattern: Option<&'s str>,
    /// Characters of a text, elements of a list or entries of a map.
    pub size: Bounds<u64>,
    /// Inclusive bounds of a number.
    pub range: Bounds<&'s Number>,
    /// `anyOf` and `oneOf`.
    pub alternatives: Vec<Schema<'s>>,
    /// `allOf`.
    pub all: Vec<Schema<'s>>,
}

/// Bounds, both inclusive.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<T> {
    /// The smallest allowed value.
    pub min: Option<T>,
    /// The largest allowed value.
    pub max: Option<T>,
}

impl<T> Default for Bounds<T> {
    fn default() -> Self {
        Self {
            min: None,
            max: None,
        }
    }
}

/// A set of JSON types. Null is left out: a merged fleet holds none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    /// No type; all that is left of `null`.
    pub const NONE: Self = Self(0);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(1);
    /// Whole numbers.
    pub const INTEGER: Self = Self(2);
    /// All numbers.
    pub const NUMBER: Self = Self(4);
    /// Text.
    pub const STRING: Self = Self(8);
    /// Lists.
    pub const ARRAY: Self = Self(16);
    /// Maps.
    pub const OBJECT: Self = Self(32);

    /// Everything but lists and maps.
    pub const SCALAR: Self = Self(1 | 2 | 4 | 8);

    /// Type, name in JSON Schema, name for people, and how to write a value of it.
    const NAMES: [(Self, &str, &str, &str); 6] = [
        (
            Self::BOOLEAN,
            "boolean",
            "true or false",
            "write `true` or `false`, without quotes",
        ),
        (
            Self::INTEGER,
            "integer",
            "an integer",
            "write a whole number, without quotes, point and exponent",
        ),
        (
            Self::NUMBER,
            "number",
            "a number",
            "write a number, without quotes",
        ),
        (
            Self::STRING,
            "string",
            "text",
            "write text in quotes, or refer to a parameter of type string",
        ),
        (
            Self::ARRAY,
            "array",
            "a list",
            "write a list: `[a, b]`, or one line `- value` per entry",
        ),
        (
            Self::OBJECT,
            "object",
            "a map",
            "write a map: one line `field: value` per field",
        ),
    ];

    /// Whether a type of `other` is in this set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The types of both sets.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn read(value: &Value) -> Self {
        match value {
            Value::String(name) => Self::NAMES
                .into_iter()
                .find(|(_, json, ..)| json == name)
                .map_or(Self::NONE, |(types, ..)| types),
            Value::Array(names) => names.iter().map(Self::read).fold(Self::NONE, Self::or),
            _ => Self::NONE,
        }
    }

    /// The types as people call them: `text or an integer`.
    pub fn describe(self) -> String {
        let names: Vec<&str> = Self::NAMES
            .into_iter()
            .filter(|(types, ..)| self.has(*types))
            .map(|(_, _, name, _)| name)
            .collect();
        if names.is_empty() {
            return "nothing".to_owned();
        }
        names.join(" or ")
    }

    /// How to write a value of the first of the types.
    pub fn instruction(self) -> &'static str {
        Self::NAMES
            .into_iter()
            .find(|(types, ..)| self.has(*types))
            .map_or("remove the value", |(.., instruction)| instruction)
    }
}

impl<'s> Document<'s> {
    /// Reads a JSON Schema, as `schemars` writes it for our types.
    pub fn compile(schema: &'s Value) -> Self {
        let definitions = schema.get("$defs").and_then(Value::as_object);
        Self {
            root: Schema::compile(schema),
            definitions: definitions
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.as_str(), Schema::compile(schema)))
                .collect(),
        }
    }
}

impl<'s> Schema<'s> {
    /// Whether the schema says nothing about the value.
    pub fn is_free(&self) -> bool {
        !self.never
            && self.reference.is_none()
            && self.types.is_none()
            && self.allowed.is_none()
            && self.properties.is_empty()
            && self.pattern_properties.is_empty()
            && self.additional.is_none()
            && self.alternatives.is_empty()
            && self.all.is_empty()
    }

    /// The first sentence of the description, without its full stop.
    pub fn summary(&self) -> Option<&'s str> {
        let paragraph = self.description?.split("\n\n").next()?;
        let sentence = paragraph.split(". ").next()?.trim();
        Some(sentence.trim_end_matches('.')).filter(|sentence| !sentence.is_empty())
    }

    fn compile(schema: &'s Value) -> Self {
        let mut compiled = Self::default();
        match schema {
            Value::Object(keywords) => {
                for (keyword, argument) in keywords {
                    compiled.keyword(keyword, argument);
                }
            }
            other => compiled.never = *other == Value::Bool(false),
        }
        compiled
    }

    fn keyword(&mut self, keyword: &str, argument: &'s Value) {
        let boxed = || Some(Box::new(Self::compile(argument)));
        match keyword {
            "$ref" => {
                self.reference = argument
                    .as_str()
                    .map(|target| target.strip_prefix("#/$defs/").unwrap_or(target));
            }
            "description" => self.description = argument.as_str(),
            "type" => self.types = Some(Types::read(argument)),
            "enum" => self.allowed = argument.as_array().map(|values| values.iter().collect()),
            "const" => self.allowed = Some(vec![argument]),
            "properties" => self.properties = Self::compile_map(argument).collect(),
            "patternProperties" => {
                self.pattern_properties = Self::compile_map(argument).collect();
            }
            "additionalProperties" | "unevaluatedProperties" => self.additional = boxed(),
            "propertyNames" => self.property_names = boxed(),
            "required" => {
                self.required = argument
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
            }
            "items" => self.items = boxed(),
            "uniqueItems" => self.unique = *argument == Value::Bool(true),
            "pattern" => self.pattern = argument.as_str(),
            "minLength" | "minItems" | "minProperties" => self.size.min = argument.as_u64(),
            "maxLength" | "maxItems" | "maxProperties" => self.size.max = argument.as_u64(),
            "minimum" => self.range.min = argument.as_number(),
            "maximum" => self.range.max = argument.as_number(),
            "anyOf" | "oneOf" => self.alternatives.extend(Self::compile_list(argument)),
            "allOf" => self.all = Self::compile_list(argument).collect(),
            _ => {}
        }
    }

    fn compile_map(schemas: &'s Value) -> impl Iterator<Item = (&'s str, Self)> {
        let schemas = schemas.as_object().into_iter().flatten();
        schemas.map(|(name, schema)| (name.as_str(), Self::compile(schema)))
    }

    fn compile_list(schemas: &'s Value) -> impl Iterator<Item = Self> {
        schemas.as_array().into_iter().flatten().map(Self::compile)
    }
}
