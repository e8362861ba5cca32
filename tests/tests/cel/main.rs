//! A real API server gives the verdicts that the cases of every CEL rule say, and of every
//! admission policy.
//!
//! `cel_offline` asks the evaluator of `banlieue-gen check` the same questions about the rules.

mod policies;
mod policy_cases;

use anyhow::{Context, Result, ensure};
use banlieue_schemas::manifests::crds;
use banlieue_tests::apiserver::ApiServer;
use banlieue_tests::cel_cases::{Case, Change, Suite};
use banlieue_tests::client::{Answer, Client};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

const DRY: &str = "dryRun=All&fieldValidation=Strict";
const STRICT: &str = "fieldValidation=Strict";

fn server_with_crds() -> Result<(ApiServer, Client)> {
    let api = ApiServer::start()?;
    let stream = crds::all()
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<Vec<_>, _>>()?;
    api.kubectl_with_input(
        &["apply", "--server-side", "--validate=strict", "-f", "-"],
        &stream.join("\n---\n"),
    )?;
    api.kubectl(&[
        "wait",
        "--for=condition=Established",
        "crds",
        "--all",
        "--timeout=60s",
    ])?;
    let client = Client::new(&api)?;
    Ok((api, client))
}

/// Where objects of a kind are served.
fn collection(crd: &CustomResourceDefinition) -> String {
    let spec = &crd.spec;
    let namespace = if spec.scope == "Namespaced" {
        "namespaces/default/"
    } else {
        ""
    };
    format!(
        "/apis/{}/v1alpha1/{namespace}{}",
        spec.group, spec.names.plural
    )
}

fn ask(
    client: &Client,
    collection: &str,
    case: &Case,
    base: &Value,
    change: &Change,
) -> Result<Answer> {
    let (mut object, old) = change.objects(base);
    let subresource = case.subresource.as_deref();
    if old.is_none() && subresource.is_none() {
        return client.post(collection, DRY, &object);
    }
    // A change is asked of an object that exists.
    let name = base["metadata"]["name"]
        .as_str()
        .context("the base has no name")?;
    let path = format!("{collection}/{name}");
    let start = old.unwrap_or_else(|| base.clone());
    let mut current = client.post(collection, STRICT, &start)?;
    ensure!(
        current.is_success(),
        "the old object is refused: {}",
        current.message()
    );
    if start.get("status").is_some() {
        let mut with_status = start.clone();
        with_status["metadata"] = current.body["metadata"].clone();
        current = client.put(&format!("{path}/status"), STRICT, &with_status)?;
        ensure!(
            current.is_success(),
            "the old status is refused: {}",
            current.message()
        );
    }
    object["metadata"]["resourceVersion"] = current.body["metadata"]["resourceVersion"].clone();
    let target = subresource.map_or_else(|| path.clone(), |sub| format!("{path}/{sub}"));
    let answer = client.put(&target, DRY, &object);
    client.delete(&path)?;
    answer
}

fn check(client: &Client, collection: &str, case: &Case, base: &Value) -> Result<()> {
    let accepted = ask(client, collection, case, base, &case.accepted)?;
    ensure!(
        accepted.is_success(),
        "what should be accepted is refused: {}",
        accepted.message()
    );
    let refused = ask(client, collection, case, base, &case.refused)?;
    ensure!(
        refused.status == 422,
        "what should be refused is answered with {}",
        refused.status
    );
    let causes = refused.body["details"]["causes"]
        .as_array()
        .map_or(0, Vec::len);
    ensure!(
        causes == 1 && refused.message().contains(&case.message),
        "refused for another reason: {}",
        refused.message()
    );
    Ok(())
}

#[test]
fn every_rule_accepts_and_refuses_on_the_api_server() -> Result<()> {
    let (_api, client) = server_with_crds()?;
    let mut wrong = Vec::new();
    let mut asked = 0;
    for crd in crds::all() {
        let kind = &crd.spec.names.kind;
        let suite = Suite::load(kind)?;
        let collection = collection(&crd);
        let base = client.post(&collection, DRY, &suite.base)?;
        ensure!(
            base.is_success(),
            "{kind}: the base is refused: {}",
            base.message()
        );
        for case in &suite.cases {
            asked += 1;
            if let Err(error) = check(&client, &collection, case, &suite.base) {
                wrong.push(format!("{kind} {} ({}): {error:#}", case.path, case.name));
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    ensure!(asked > 100, "only {asked} rules were asked about");
    Ok(())
}
