//! Label selectors, read once and matched often.

use banlieue_schemas::common::{LabelSelector, StringMap};
use kube::core::{ParseExpressionError, Selector, SelectorExt};

/// A selector that cannot be read. The API server takes such a selector in a custom resource.
#[derive(Debug, thiserror::Error)]
#[error("{field} is not a label selector")]
pub struct SelectorError {
    /// Path of the field that holds the selector.
    pub field: String,
    #[source]
    source: ParseExpressionError,
}

impl SelectorError {
    /// The error and its cause in one line, for a condition.
    pub fn line(&self) -> String {
        format!("{self}: {}", self.source)
    }
}

/// A label selector. Without expressions it matches everything.
#[derive(Clone, Debug, Default)]
pub struct Matcher(Selector);

impl Matcher {
    /// Reads a selector; an absent one matches everything. `field` names it in the error.
    pub fn new(selector: Option<&LabelSelector>, field: &str) -> Result<Self, SelectorError> {
        let selector = selector.cloned().unwrap_or_default();
        match Selector::try_from(selector) {
            Ok(selector) => Ok(Self(selector)),
            Err(source) => Err(SelectorError {
                field: field.to_owned(),
                source,
            }),
        }
    }

    /// Whether the labels match.
    pub fn matches(&self, labels: &StringMap) -> bool {
        self.0.matches(labels)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    fn matches(selector: serde_json::Value) -> Result<bool, SelectorError> {
        let labels = StringMap::from([("dc".into(), "1".into()), ("tier".into(), "gold".into())]);
        let selector: LabelSelector = serde_json::from_value(selector).unwrap();
        Ok(Matcher::new(Some(&selector), "field")?.matches(&labels))
    }

    #[test]
    fn every_operator_of_kubernetes_is_understood() {
        let expression = |key: &str, operator: &str, values: &[&str]| json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] });
        for (selector, expected) in [
            (json!({}), true),
            (json!({ "matchLabels": { "dc": "1" } }), true),
            (json!({ "matchLabels": { "dc": "2" } }), false),
            (expression("dc", "In", &["1", "2"]), true),
            (expression("rack", "In", &["1"]), false),
            (expression("dc", "NotIn", &["1"]), false),
            (expression("rack", "NotIn", &["1"]), true),
            (expression("tier", "Exists", &[]), true),
            (expression("tier", "DoesNotExist", &[]), false),
        ] {
            assert_eq!(matches(selector.clone()).unwrap(), expected, "{selector}");
        }
    }

    #[test]
    fn a_selector_that_means_nothing_is_an_error_not_a_match() {
        let selector = json!({ "matchExpressions": [{ "key": "dc", "operator": "Like" }] });
        let message = matches(selector).unwrap_err().line();
        assert!(
            message.starts_with("field is not a label selector: "),
            "{message}"
        );
    }
}
