//! Our own kinds: the schema and the rules of each CRD, compiled once.

use std::collections::HashMap;

use banlieue_schemas::{INFRASTRUCTURE_GROUP, PLATFORM_GROUP, manifests::crds};
use kube_cel::{CompiledSchema, ErrorKind};
use serde_json::Value;

use super::{codes, finding::Fault, schema};
use crate::{diagnostic::nearest, load::node::Path};

/// A CRD that cannot be compiled.
#[derive(Debug, thiserror::Error)]
pub enum KindError {
    /// It has a pattern that is no regular expression.
    #[error("the CRD of {kind} has a pattern that is no regular expression")]
    Pattern {
        /// The kind.
        kind: String,
        /// What is wrong with the pattern.
        #[source]
        source: regex::Error,
    },
    /// Its schema has no JSON form.
    #[error("the CRD of {kind} cannot be written as JSON")]
    Encode {
        /// The kind.
        kind: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// What the API server knows about one kind of ours.
#[derive(Debug)]
pub struct Kind {
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    schema: schema::Schema,
    rules: CompiledSchema,
}

/// Every kind of ours, by `apiVersion` and `kind`.
#[derive(Debug)]
pub struct Kinds(HashMap<(String, String), Kind>);

impl Kinds {
    /// Compiles all of our CRDs.
    ///
    /// # Errors
    /// A CRD that cannot be compiled; none of ours.
    pub fn compile() -> Result<Self, KindError> {
        let mut kinds = HashMap::new();
        for crd in crds::all() {
            let spec = crd.spec;
            for version in spec.versions {
                let Some(schema) = version.schema.and_then(|s| s.open_api_v3_schema) else {
                    continue;
                };
                let refused = |source| KindError::Pattern {
                    kind: spec.names.kind.clone(),
                    source,
                };
                let json = serde_json::to_value(&schema).map_err(|source| KindError::Encode {
                    kind: spec.names.kind.clone(),
                    source,
                })?;
                let kind = Kind {
                    namespaced: spec.scope == "Namespaced",
                    schema: schema::Schema::of_object(&schema).map_err(refused)?,
                    rules: kube_cel::compile_schema(&json),
                };
                let api_version = format!("{}/{}", spec.group, version.name);
                kinds.insert((api_version, spec.names.kind.clone()), kind);
            }
        }
        Ok(Self(kinds))
    }

    /// The kind of an object, where it is one of ours.
    pub fn get(&self, object: &Value) -> Option<&Kind> {
        let text = |key: &str| object[key].as_str().unwrap_or_default().to_owned();
        self.0.get(&(text("apiVersion"), text("kind")))
    }

    /// Schema and rules of an object's kind. Says nothing about kinds that are not ours.
    ///
    /// Rules about a change are evaluated only where there is an `old` object, as on a server.
    pub fn check(&self, object: &Value, old: Option<&Value>, faults: &mut Vec<Fault>) {
        let Some(kind) = self.get(object) else {
            faults.extend(self.unserved(object));
            return;
        };
        let before = faults.len();
        schema::check(&kind.schema, object, &Path::Root, faults);
        // Rules read fields that the schema promises, so a server evaluates them last, too.
        if faults.len() == before {
            faults.extend(kind.broken_rules(object, old));
        }
    }

    fn unserved(&self, object: &Value) -> Option<Fault> {
        let api_version = object["apiVersion"].as_str()?;
        let kind = object["kind"].as_str()?;
        let group = api_version.split_once('/')?.0;
        if ![PLATFORM_GROUP, INFRASTRUCTURE_GROUP].contains(&group) {
            return None;
        }
        let mut served: Vec<String> = self.0.keys().map(|(v, k)| format!("{v} {k}")).collect();
        served.sort();
        let wanted = format!("{api_version} {kind}");
        let hint = nearest(&wanted, served.iter().map(String::as_str)).map_or_else(
            || "`banlieue-gen schema crds` prints the kinds that there are".to_owned(),
            |name| format!("did you mean `{name}`?"),
        );
        let message = format!("no CRD serves {wanted}");
        Some(Fault::new(&codes::UNSERVED, &Path::Root, message, hint))
    }
}

impl Kind {
    fn broken_rules(&self, object: &Value, old: Option<&Value>) -> Vec<Fault> {
        let Err(errors) = kube_cel::validate_compiled(&self.rules, object, old) else {
            return Vec::new();
        };
        let broken = errors.into_iter().map(|error| {
            let hint = match error.kind {
                ErrorKind::ValidationFailure => format!("the rule is `{}`", error.rule),
                _ => format!("the rule `{}` cannot be evaluated", error.rule),
            };
            let mut fault = Fault::new(&codes::RULE, &Path::Root, error.message, hint);
            fault.path = steps(&error.field_path);
            fault
        });
        broken.collect()
    }
}

/// `spec.disks[3].name` as keys and indices.
fn steps(path: &str) -> Vec<String> {
    path.split(['.', '[', ']'])
        .filter(|step| !step.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn broken<'a>(rules: &'a CompiledSchema, found: &mut Vec<&'a kube_cel::CompilationError>) {
        found.extend(rules.compilation_errors());
        let inner = rules.properties.values();
        let boxed = [&rules.items, &rules.additional_properties];
        for rules in inner.chain(boxed.into_iter().flatten().map(Box::as_ref)) {
            broken(rules, found);
        }
    }

    #[test]
    fn every_rule_of_our_crds_can_be_evaluated_offline() {
        let kinds = Kinds::compile().unwrap();
        assert_eq!(kinds.0.len(), 17);
        for (name, kind) in &kinds.0 {
            let mut found = Vec::new();
            broken(&kind.rules, &mut found);
            assert!(found.is_empty(), "{name:?}: {found:?}");
        }
    }

    #[test]
    fn an_index_in_a_path_is_a_step() {
        assert_eq!(steps("spec.disks[3].name"), ["spec", "disks", "3", "name"]);
        assert!(steps("").is_empty());
    }
}
