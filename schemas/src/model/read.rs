//! From JSON Schema to records.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Bounds, Choice, Field, Record, Rule, Shape, names};

type Keywords = Map<String, Value>;

/// The records of an object schema, the root first, then in the order of their first use.
///
/// A record that the schema leaves without a name is called after the record and the field that
/// hold it; in the root it is called `prefix` and the field.
///
/// `schema` is one of [`crate::json_schema::named`] or of a [`crate::json_schema::Kind`].
pub fn records(root: &str, prefix: &str, schema: &Value) -> Vec<Record> {
    let mut reader = Reader {
        definitions: schema.get("$defs").and_then(Value::as_object),
        root,
        prefix,
        started: BTreeSet::new(),
        records: Vec::new(),
    };
    if let Some(keywords) = schema.as_object() {
        reader.record(root, keywords);
    }
    reader.records
}

struct Reader<'a> {
    definitions: Option<&'a Keywords>,
    root: &'a str,
    prefix: &'a str,
    started: BTreeSet<String>,
    records: Vec<Record>,
}

/// Where a shape is, for the name of the record that it may need.
#[derive(Clone, Copy)]
struct Place<'a> {
    record: &'a str,
    field: &'a str,
    many: bool,
}

impl<'a> Reader<'a> {
    fn record(&mut self, name: &str, keywords: &'a Keywords) {
        if !self.started.insert(name.to_owned()) {
            return;
        }
        let index = self.records.len();
        self.records.push(Record {
            name: name.to_owned(),
            description: text(keywords, "description"),
            fields: Vec::new(),
            rules: rules(keywords),
            open: keywords.get("additionalProperties") == Some(&Value::Bool(true)),
        });
        let required: Vec<&str> = list(keywords, "required")
            .filter_map(Value::as_str)
            .collect();
        let properties = keywords.get("properties").and_then(Value::as_object);
        let fields = properties
            .into_iter()
            .flatten()
            .map(|(field, schema)| {
                let place = Place {
                    record: name,
                    field,
                    many: false,
                };
                self.field(place, schema, required.contains(&field.as_str()))
            })
            .collect();
        self.records[index].fields = fields;
    }

    fn field(&mut self, place: Place<'_>, schema: &'a Value, required: bool) -> Field {
        let none = Map::new();
        let keywords = schema.as_object().unwrap_or(&none);
        let shape = self.shape(place, schema);
        Field {
            name: place.field.to_owned(),
            description: text(keywords, "description"),
            required,
            default: keywords.get("default").cloned(),
            // A record shows its own.
            rules: if matches!(shape, Shape::Record(_)) {
                Vec::new()
            } else {
                rules(keywords)
            },
            shape,
        }
    }

    fn shape(&mut self, place: Place<'_>, schema: &'a Value) -> Shape {
        let Some(keywords) = schema.as_object() else {
            return Shape::Any;
        };
        if let Some(target) = keywords.get("$ref").and_then(Value::as_str) {
            return self.reference(target.trim_start_matches("#/$defs/"));
        }
        if let Some(choices) = choices(keywords) {
            return Shape::Choice(choices);
        }
        if keywords.contains_key("x-kubernetes-int-or-string") {
            return Shape::IntegerOrText;
        }
        let many = Place {
            many: true,
            ..place
        };
        match keywords.get("type").and_then(Value::as_str) {
            Some("boolean") => Shape::Boolean,
            Some("integer") => Shape::Integer(bounds(keywords, "minimum", "maximum")),
            Some("number") => Shape::Number(bounds(keywords, "minimum", "maximum")),
            Some("string") => Shape::Text {
                length: bounds(keywords, "minLength", "maxLength"),
                pattern: keywords
                    .get("pattern")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            },
            Some("array") => Shape::List {
                items: Box::new(self.element(many, keywords.get("items"))),
                length: bounds(keywords, "minItems", "maxItems"),
            },
            Some("object") if keywords.contains_key("properties") => {
                let name = self.unused_name(place);
                self.record(&name, keywords);
                Shape::Record(name)
            }
            Some("object") => Shape::Map {
                keys: key_pattern(keywords),
                values: Box::new(self.element(many, keywords.get("additionalProperties"))),
            },
            _ => Shape::Any,
        }
    }

    /// A name for an object that has none; a second one of that name is numbered.
    fn unused_name(&self, place: Place<'_>) -> String {
        let parent = if place.record == self.root {
            self.prefix
        } else {
            place.record
        };
        let name = names::of_field(parent, place.field, place.many);
        let taken = |name: &String| {
            self.started.contains(name)
                || self
                    .definitions
                    .is_some_and(|definitions| definitions.contains_key(name))
        };
        let numbered = (2_u32..).map(|number| format!("{name}{number}"));
        std::iter::once(name.clone())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or(name)
    }

    fn element(&mut self, place: Place<'_>, schema: Option<&'a Value>) -> Shape {
        schema.map_or(Shape::Any, |schema| self.shape(place, schema))
    }

    fn reference(&mut self, name: &str) -> Shape {
        let definition = self
            .definitions
            .and_then(|definitions| definitions.get(name));
        let Some(Value::Object(keywords)) = definition else {
            return Shape::Any;
        };
        if keywords.contains_key("properties") {
            self.record(name, keywords);
            return Shape::Record(name.to_owned());
        }
        let place = Place {
            record: name,
            field: "",
            many: false,
        };
        definition.map_or(Shape::Any, |definition| self.shape(place, definition))
    }
}

/// The values of an enumeration, if it is one.
fn choices(keywords: &Keywords) -> Option<Vec<Choice>> {
    let choice = |value: &Value, description: String| {
        let value = value.as_str()?.to_owned();
        Some(Choice { value, description })
    };
    if let Some(value) = keywords.get("const") {
        return Some(vec![choice(value, String::new())?]);
    }
    if keywords.contains_key("enum") {
        return list(keywords, "enum")
            .map(|value| choice(value, String::new()))
            .collect();
    }
    if keywords.contains_key("oneOf") {
        return list(keywords, "oneOf")
            .map(|one| choice(one.get("const")?, text(one.as_object()?, "description")))
            .collect();
    }
    None
}

fn rules(keywords: &Keywords) -> Vec<Rule> {
    list(keywords, "x-kubernetes-validations")
        .filter_map(Value::as_object)
        .map(|rule| Rule {
            rule: text(rule, "rule"),
            message: text(rule, "message"),
        })
        .collect()
}

fn key_pattern(keywords: &Keywords) -> Option<String> {
    let pattern = keywords.get("propertyNames")?.get("pattern")?;
    pattern.as_str().map(str::to_owned)
}

fn bounds(keywords: &Keywords, min: &str, max: &str) -> Bounds {
    let bound = |keyword| keywords.get(keyword).and_then(Value::as_i64);
    Bounds {
        min: bound(min),
        max: bound(max),
    }
}

fn text(keywords: &Keywords, keyword: &str) -> String {
    let text = keywords.get(keyword).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn list<'a>(keywords: &'a Keywords, keyword: &str) -> impl Iterator<Item = &'a Value> {
    keywords
        .get(keyword)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}
