//! Every CEL rule of every CRD has one object that it accepts and one that it refuses.
//!
//! `cases/cel/*.json` holds the objects, and a server test applies the same files to a real API
//! server. Here the verdicts come from an evaluator in this process, and the schema proper is
//! checked as well, so that a refused object violates the one rule and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use banlieue_schemas::manifests::crds;
use banlieue_tests::cel_cases::{Case, Suite};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_cel::{ErrorKind, Validator};
use serde_json::Value;

/// A rule and where it is: path, rule, message.
type RuleAt = (String, String, String);

fn rules(schema: &Value, path: &str, found: &mut BTreeSet<RuleAt>) {
    for rule in schema["x-kubernetes-validations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let text = |key: &str| rule[key].as_str().unwrap_or_default().to_owned();
        found.insert((path.to_owned(), text("rule"), text("message")));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let dot = if path.is_empty() { "" } else { "." };
        rules(property, &format!("{path}{dot}{name}"), found);
    }
    for (keyword, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
        if schema[keyword].is_object() {
            rules(&schema[keyword], &format!("{path}{suffix}"), found);
        }
    }
}

/// `spec.disks[3].size` becomes `spec.disks[].size`.
fn without_indices(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            let keep = !inside || *c == ']';
            inside = (inside || *c == '[') && *c != ']';
            keep
        })
        .collect()
}

struct Kind {
    name: String,
    schema: Value,
    compiled: jsonschema::Validator,
    suite: Suite,
}

impl Kind {
    fn load(crd: &CustomResourceDefinition) -> Result<Self> {
        let version = crd.spec.versions.first().context("no version")?;
        let schema = version.schema.as_ref().context("no schema")?;
        let schema = serde_json::to_value(&schema.open_api_v3_schema)?;
        Ok(Self {
            name: crd.spec.names.kind.clone(),
            compiled: jsonschema::validator_for(&schema)?,
            schema,
            suite: Suite::load(&crd.spec.names.kind)?,
        })
    }

    /// What is wrong with an object: `path: message` for each violated rule.
    fn verdict(&self, object: &Value, old: Option<&Value>) -> Result<Vec<String>> {
        if let Some(error) = self.compiled.iter_errors(object).next() {
            anyhow::bail!("the schema itself refuses it: {error}");
        }
        let Err(errors) = Validator::new().validate(&self.schema, object, old) else {
            return Ok(Vec::new());
        };
        errors
            .into_vec()
            .into_iter()
            .map(|error| {
                ensure!(error.kind == ErrorKind::ValidationFailure, "{error}");
                let path = without_indices(&error.field_path);
                Ok(format!("{path}: {}", error.message))
            })
            .collect()
    }

    fn check(&self, case: &Case) -> Result<()> {
        let (object, old) = case.accepted.objects(&self.suite.base);
        let accepted = self.verdict(&object, old.as_ref())?;
        let (object, old) = case.refused.objects(&self.suite.base);
        let refused = self.verdict(&object, old.as_ref())?;
        let as_expected =
            accepted.is_empty() && refused == [format!("{}: {}", case.path, case.message)];
        match &case.offline_differs {
            None => ensure!(as_expected, "accepted: {accepted:?}, refused: {refused:?}"),
            Some(why) => ensure!(!as_expected, "no longer differs, remove the note: {why}"),
        }
        Ok(())
    }
}

#[test]
fn every_rule_accepts_and_refuses_what_its_cases_say() -> Result<()> {
    let mut wrong = Vec::new();
    for crd in crds::all() {
        let kind = Kind::load(&crd)?;
        ensure!(
            kind.verdict(&kind.suite.base, None)?.is_empty(),
            "{}: the base is refused",
            kind.name
        );
        for case in &kind.suite.cases {
            if let Err(error) = kind.check(case) {
                wrong.push(format!(
                    "{} {} ({}): {error}",
                    kind.name, case.path, case.name
                ));
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn no_rule_is_without_a_case_and_no_case_without_a_rule() -> Result<()> {
    for crd in crds::all() {
        let kind = Kind::load(&crd)?;
        let mut in_schema = BTreeSet::new();
        rules(&kind.schema, "", &mut in_schema);
        let in_cases: BTreeSet<RuleAt> = kind
            .suite
            .cases
            .iter()
            .map(|case| (case.path.clone(), case.rule.clone(), case.message.clone()))
            .collect();
        let missing: Vec<_> = in_schema.difference(&in_cases).collect();
        let stale: Vec<_> = in_cases.difference(&in_schema).collect();
        ensure!(
            missing.is_empty() && stale.is_empty(),
            "{}: without a case: {missing:#?}, without a rule: {stale:#?}",
            kind.name
        );
    }
    Ok(())
}

#[test]
fn no_file_of_cases_is_forgotten() -> Result<()> {
    let known: BTreeSet<String> = crds::all()
        .iter()
        .map(|crd| format!("{}.json", crd.spec.names.kind.to_lowercase()))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/cel");
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        ensure!(known.contains(&name), "{name} belongs to no kind");
    }
    Ok(())
}
