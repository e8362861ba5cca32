//! Every CEL rule of every CRD has one object that it accepts and one that it refuses.
//!
//! `cases/cel/*.json` holds the objects, and a server test applies the same files to a real API
//! server. Here the verdicts come from the engine of `banlieue-gen check`, which is given the
//! object before a change where a case has one. A second reader of the schema proper agrees that a
//! refused object violates the one rule and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow, ensure};
use banlieue_gen::check::{
    codes::RULE,
    kinds::{KindError, Kinds},
};
use banlieue_schemas::manifests::crds;
use banlieue_tests::cel_cases::{Case, Suite};
use banlieue_tests::tools::checkout;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
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

/// Keys and indices as a place in a schema: `spec.disks[].size`.
fn place(path: &[String]) -> String {
    path.iter().fold(String::new(), |place, step| {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            place + "[]"
        } else if place.is_empty() {
            step.clone()
        } else {
            place + "." + step
        }
    })
}

static KINDS: LazyLock<Result<Kinds, KindError>> = LazyLock::new(Kinds::compile);

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
        let kinds = KINDS.as_ref().map_err(|error| anyhow!("{error}"))?;
        let mut faults = Vec::new();
        kinds.check(object, old, &mut faults);
        let said = faults.into_iter().map(|fault| {
            let place = place(&fault.path);
            let (code, hint) = (fault.code.id, fault.hint);
            ensure!(
                code == RULE.id && hint.starts_with("the rule is"),
                "{place}: {code} {} ({hint})",
                fault.message
            );
            Ok(format!("{place}: {}", fault.message))
        });
        said.collect()
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

/// `check` has no object before a change. How much that leaves to the server is not hidden.
#[test]
fn the_documents_tell_how_many_rules_are_about_a_change() -> Result<()> {
    let (mut all, mut of_changes) = (0, 0);
    for crd in crds::all() {
        let mut in_schema = BTreeSet::new();
        rules(&Kind::load(&crd)?.schema, "", &mut in_schema);
        all += in_schema.len();
        let of_change = |(_, rule, _): &&RuleAt| rule.contains("oldSelf");
        of_changes += in_schema.iter().filter(of_change).count();
    }
    let count = format!("{of_changes} of the {all} rules");
    for file in ["docs/adr/0004-cel-engine.md", "docs/getting-started.md"] {
        let text = std::fs::read_to_string(checkout().join(file))?;
        ensure!(text.contains(&count), "{file} does not say `{count}`");
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
