//! The types of JSON Schema.

use serde_json::Value;

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

    /// Reads the keyword `type`.
    pub fn read(value: &Value) -> Self {
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
