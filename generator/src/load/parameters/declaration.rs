//! One declaration of a parameter: checks it, and finds the value of the parameter.

use regex::Regex;
use serde::Deserialize;
use serde_json::Value as Json;

use super::references::is_name;
use super::{FIELD, RESERVED};
use crate::diagnostic::{Code, Diagnostic, codes, nearest, shown};
use crate::load::node::{Entry, Path};
use crate::load::problems::Problems;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    String,
    Integer,
    Boolean,
}

/// What decides about the values of a parameter; descriptions and the like are for readers.
#[derive(Debug, Deserialize)]
pub struct Declaration {
    r#type: Type,
    default: Option<Json>,
    r#enum: Option<Vec<Json>>,
    pattern: Option<String>,
}

/// A declaration and its place.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The parameter.
    pub name: &'a str,
    /// Where it is declared.
    pub entry: &'a Entry,
    /// What is declared.
    pub declaration: &'a Declaration,
}

impl Declared<'_> {
    /// The argument, or the default if there is none. None after a problem.
    pub fn value(&self, argument: Option<&str>, problems: &mut Problems) -> Option<Json> {
        let found = problems.len();
        self.check_name(problems);
        let pattern = self.pattern(problems);
        self.check_values(pattern.as_ref(), problems);
        if problems.len() > found {
            return None;
        }
        let result = match (argument, &self.declaration.default) {
            (Some(argument), _) => self.read(argument, pattern.as_ref()),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => Err(self.missing()),
        };
        result.map_err(|problem| problems.push(*problem)).ok()
    }

    fn check_name(&self, problems: &mut Problems) {
        let name = shown(self.name);
        let (message, hint) = if RESERVED.contains(&self.name) {
            (
                format!("{name} selects what is rendered"),
                "give the parameter another name",
            )
        } else if is_name(self.name) {
            return;
        } else {
            (
                format!("{name} is not a name for a parameter"),
                "start with a letter and use letters, digits, `-` and `_`",
            )
        };
        let problem = self.problem(&codes::PARAMETER_DECLARATION, message);
        problems.push(problem.hint(hint));
    }

    fn pattern(&self, problems: &mut Problems) -> Option<Regex> {
        let written = self.declaration.pattern.as_deref()?;
        if !matches!(self.declaration.r#type, Type::String) {
            let message = "a pattern is for texts only";
            let problem = self.in_field("pattern", message);
            problems.push(problem.hint("remove it, or declare the type `string`"));
        }
        // Twice, since brackets that do not match could become a pair inside ours.
        Regex::new(written)
            .and_then(|_| Regex::new(&format!(r"\A(?:{written})\z")))
            .map_err(|_| {
                let message = format!("{} is not a regular expression", shown(written));
                let problem = self.in_field("pattern", message);
                problems.push(problem.hint("correct the regular expression"));
            })
            .ok()
    }

    fn check_values(&self, pattern: Option<&Regex>, problems: &mut Problems) {
        let declaration = self.declaration;
        let kind = declaration.r#type;
        for value in declaration.r#enum.iter().flatten() {
            if !kind.has(value) {
                let message = format!("{} is not {}", shown(&value.to_string()), kind.describe());
                problems.push(self.in_field("enum", message).hint(kind.instruction()));
            }
        }
        let reason = declaration
            .default
            .as_ref()
            .and_then(|default| self.unfit(default, pattern));
        if let Some(reason) = reason {
            let problem = self.in_field("default", reason);
            problems.push(problem.hint("write a value that fits the rest of the declaration"));
        }
    }

    fn read(&self, argument: &str, pattern: Option<&Regex>) -> Result<Json, Box<Diagnostic>> {
        let kind = self.declaration.r#type;
        kind.parse(argument)
            .ok_or_else(|| format!("{} is not {}", shown(argument), kind.describe()))
            .and_then(|value| self.unfit(&value, pattern).map_or(Ok(value), Err))
            .map_err(|reason| Box::new(self.refuse(argument, &reason)))
    }

    fn refuse(&self, argument: &str, reason: &str) -> Diagnostic {
        let name = self.name;
        let words = self.declaration.r#enum.iter().flatten();
        let hint = match nearest(argument, words.filter_map(Json::as_str)) {
            Some(word) => format!("did you mean `{name}={word}`?"),
            None => format!("give `{name}=VALUE` with a value that fits the declaration"),
        };
        Diagnostic::error(
            &codes::ARGUMENT_VALUE,
            format!("the argument `{name}`: {reason}"),
        )
        .related("the parameter is declared here", self.entry.key_at.clone())
        .hint(hint)
    }

    /// Why a value does not fit the declaration.
    fn unfit(&self, value: &Json, pattern: Option<&Regex>) -> Option<String> {
        let Declaration { r#type, r#enum, .. } = self.declaration;
        let found = match value {
            Json::String(text) => shown(text),
            other => shown(&other.to_string()),
        };
        if !r#type.has(value) {
            return Some(format!("{found} is not {}", r#type.describe()));
        }
        if let Some(allowed) = r#enum
            && !allowed.contains(value)
        {
            let names: Vec<String> = allowed.iter().map(Json::to_string).collect();
            return Some(format!("{found} is not one of: {}", names.join(", ")));
        }
        match (pattern, value) {
            (Some(pattern), Json::String(text)) if !pattern.is_match(text) => {
                let written = self.declaration.pattern.as_deref().unwrap_or_default();
                Some(format!("{found} does not match `{written}`"))
            }
            _ => None,
        }
    }

    fn missing(&self) -> Box<Diagnostic> {
        let name = self.name;
        let message = format!("the parameter {} has no value", shown(name));
        Box::new(
            self.problem(&codes::MISSING_ARGUMENT, message)
                .hint(format!(
                    "add `{name}=VALUE` to the command, or a `default` here"
                )),
        )
    }

    /// The warning that nothing refers to the parameter.
    pub fn unused(&self) -> Diagnostic {
        let name = self.name;
        let message = format!("no value refers to the parameter {}", shown(name));
        Diagnostic::warning(&codes::UNUSED_PARAMETER, message)
            .at(self.entry.key_at.clone())
            .path(Path::Root.key(FIELD).key(name).to_string())
            .hint(format!(
                "write `${{{{ {name} }}}}` where it is meant, or remove it"
            ))
    }

    fn problem(&self, code: &Code, message: String) -> Diagnostic {
        Diagnostic::error(code, message)
            .at(self.entry.key_at.clone())
            .path(Path::Root.key(FIELD).key(self.name).to_string())
    }

    fn in_field(&self, field: &str, message: impl Into<String>) -> Diagnostic {
        let fields = self.entry.node.as_map();
        let entry = fields.and_then(|fields| fields.get(field));
        let parameters = Path::Root.key(FIELD);
        let path = parameters.key(self.name);
        Diagnostic::error(&codes::PARAMETER_DECLARATION, message)
            .at(entry.unwrap_or(self.entry).key_at.clone())
            .path(path.key(field).to_string())
    }
}

impl Type {
    fn parse(self, text: &str) -> Option<Json> {
        match self {
            Self::String => Some(Json::from(text)),
            Self::Integer => text.parse::<i64>().ok().map(Json::from),
            Self::Boolean => text.parse::<bool>().ok().map(Json::from),
        }
    }

    fn has(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64(),
            Self::Boolean => value.is_boolean(),
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Self::String => "text",
            Self::Integer => "an integer",
            Self::Boolean => "true or false",
        }
    }

    fn instruction(self) -> &'static str {
        match self {
            Self::String => "write text in quotes",
            Self::Integer => "write a whole number, without quotes",
            Self::Boolean => "write `true` or `false`, without quotes",
        }
    }
}
