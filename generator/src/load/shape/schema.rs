//! The part of JSON Schema that our types are described with, made ready for walking.
//!
//! Compiling is one pass that borrows from the schema and costs less than a millisecond; regular
//! expressions are compiled when they are first needed.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::types::Types;

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

impl<'s> Document<'s> {
    /// Reads a JSON Schema, as `schemars` writes it for our types.
    pub fn compile(schema: &'s Value) -> Self {
        let compiler = Compiler {
            definitions: schema.get("$defs"),
        };
        Self {
            root: compiler.schema(schema),
            definitions: compiler
                .definitions
                .map(|definitions| compiler.map(definitions).collect())
                .unwrap_or_default(),
        }
    }
}

impl<'s> Schema<'s> {
    /// The first sentence of the description, without its full stop.
    pub fn summary(&self) -> Option<&'s str> {
        let paragraph = self.description?.split("\n\n").next()?;
        let sentence = paragraph.split(". ").next()?.trim();
        Some(sentence.trim_end_matches('.')).filter(|sentence| !sentence.is_empty())
    }
}

/// Compiles schemas of one document.
#[derive(Clone, Copy)]
struct Compiler<'s> {
    definitions: Option<&'s Value>,
}

impl<'s> Compiler<'s> {
    fn schema(self, schema: &'s Value) -> Schema<'s> {
        let mut compiled = Schema::default();
        match schema {
            Value::Object(keywords) => {
                // A variant with a tag: its own fields stand beside those of the definition, and
                // each of the two would refuse the fields of the other.
                let inherited = keywords
                    .get("$ref")
                    .filter(|_| keywords.contains_key("properties"))
                    .and_then(|target| self.definitions?.get(definition(target)?));
                if let Some(inherited) = inherited {
                    compiled = self.schema(inherited);
                }
                for (keyword, argument) in keywords {
                    if inherited.is_none() || keyword != "$ref" {
                        self.keyword(&mut compiled, keyword, argument);
                    }
                }
            }
            other => compiled.never = *other == Value::Bool(false),
        }
        compiled
    }

    fn keyword(self, schema: &mut Schema<'s>, keyword: &str, argument: &'s Value) {
        let boxed = || Some(Box::new(self.schema(argument)));
        match keyword {
            "$ref" => schema.reference = definition(argument),
            "description" => schema.description = argument.as_str(),
            "type" => schema.types = Some(Types::read(argument)),
            "enum" => schema.allowed = argument.as_array().map(|values| values.iter().collect()),
            "const" => schema.allowed = Some(vec![argument]),
            "properties" => schema.properties.extend(self.map(argument)),
            "patternProperties" => schema.pattern_properties = self.map(argument).collect(),
            "additionalProperties" | "unevaluatedProperties" => schema.additional = boxed(),
            "propertyNames" => schema.property_names = boxed(),
            "required" => {
                let names = argument.as_array().into_iter().flatten();
                schema.required.extend(names.filter_map(Value::as_str));
            }
            "items" => schema.items = boxed(),
            "uniqueItems" => schema.unique = *argument == Value::Bool(true),
            "pattern" => schema.pattern = argument.as_str(),
            "minLength" | "minItems" | "minProperties" => schema.size.min = argument.as_u64(),
            "maxLength" | "maxItems" | "maxProperties" => schema.size.max = argument.as_u64(),
            "minimum" => schema.range.min = argument.as_number(),
            "maximum" => schema.range.max = argument.as_number(),
            "anyOf" | "oneOf" => schema.alternatives.extend(self.list(argument)),
            "allOf" => schema.all = self.list(argument).collect(),
            _ => {}
        }
    }

    fn map(self, schemas: &'s Value) -> impl Iterator<Item = (&'s str, Schema<'s>)> {
        let schemas = schemas.as_object().into_iter().flatten();
        schemas.map(move |(name, schema)| (name.as_str(), self.schema(schema)))
    }

    fn list(self, schemas: &'s Value) -> impl Iterator<Item = Schema<'s>> {
        let schemas = schemas.as_array().into_iter().flatten();
        schemas.map(move |schema| self.schema(schema))
    }
}

/// The name in a reference `#/$defs/<name>`.
fn definition(reference: &Value) -> Option<&str> {
    let target = reference.as_str()?;
    Some(target.strip_prefix("#/$defs/").unwrap_or(target))
}
