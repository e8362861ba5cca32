//! Typed values that the command line may set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value that `render KEY=VALUE` may set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameter {
    /// What kind of value it takes.
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// Value when the command line gives none. Without one the parameter must be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
    /// The only values allowed. Empty: any.
    #[serde(default, rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<serde_json::Value>,
    /// Regular expression that a string must match as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// For people; shown in error messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What kind of value a parameter takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ParameterType {
    /// Text.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
}
