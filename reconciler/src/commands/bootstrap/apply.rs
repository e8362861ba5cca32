//! Applies an installation, stage by stage.

use std::io::{self, Write};
use std::time::Duration;

use banlieue_kit::Client;
use banlieue_kit::apply::apply_untyped;
use banlieue_kit::client::{self, Fence};
use banlieue_kit::metrics::Metrics;
use banlieue_schemas::managers::Manager;
use banlieue_schemas::manifests::{Stage, object_id};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::runtime::wait::{await_condition, conditions};
use serde_json::Value;
use tokio::time::timeout;

use crate::cli::ApiServer;
use crate::commands::CommandError;
use crate::process::client_settings;

/// Longest time until the API server serves a kind whose definition it has.
const ESTABLISHED: Duration = Duration::from_secs(60);

/// Applies the objects in order, and tells each on standard output. What comes after the
/// definitions waits until their kinds are served.
pub(super) async fn apply(
    api_server: &ApiServer,
    objects: &[(Stage, Value)],
) -> Result<(), CommandError> {
    let settings = client_settings(api_server, "bootstrap");
    let client = client::connect(&settings, Metrics::new(), Fence::open()).await?;
    install(&client, objects, &mut io::stdout()).await
}

async fn install(
    client: &Client,
    objects: &[(Stage, Value)],
    out: &mut impl Write,
) -> Result<(), CommandError> {
    for stage in Stage::ALL {
        let of_stage = objects.iter().filter(|(its, _)| *its == stage);
        let of_stage: Vec<&Value> = of_stage.map(|(_, object)| object).collect();
        for object in &of_stage {
            apply_untyped(client, &Manager::Bootstrap, object).await?;
            writeln!(out, "applied {}", object_id(object)).map_err(CommandError::Output)?;
        }
        if stage == Stage::Crds {
            established(client, &of_stage).await?;
        }
    }
    Ok(())
}

async fn established(client: &Client, definitions: &[&Value]) -> Result<(), CommandError> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in definitions {
        let name = object_id(definition).name;
        let condition = conditions::is_crd_established();
        let waited = timeout(ESTABLISHED, await_condition(api.clone(), &name, condition)).await;
        if !matches!(waited, Ok(Ok(_))) {
            return Err(CommandError::NotServed(name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use banlieue_kit::fake::{Answer, Fake};
    use serde_json::json;

    use super::*;

    fn objects() -> Vec<(Stage, Value)> {
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "things.example.com" },
        });
        let class = json!({
            "apiVersion": "banlieue.io/v1alpha1", "kind": "ProviderClass",
            "metadata": { "name": "sim" },
        });
        vec![(Stage::Crds, definition), (Stage::Classes, class)]
    }

    /// An API server that serves the definition, or never does.
    fn server(established: bool) -> Fake {
        Fake::new(move |call| {
            if call.method != "GET" {
                return Answer::ok(call.body.clone());
            }
            if call.query.contains("watch=true") {
                return Answer::Hang;
            }
            let status = if established { "True" } else { "False" };
            Answer::ok(json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinitionList",
                "metadata": { "resourceVersion": "1" },
                "items": [{
                    "metadata": { "name": "things.example.com" },
                    "spec": {
                        "group": "example.com", "scope": "Cluster", "versions": [],
                        "names": { "kind": "Thing", "plural": "things" },
                    },
                    "status": { "conditions": [{ "type": "Established", "status": status }] },
                }],
            }))
        })
    }

    #[tokio::test]
    async fn a_stage_begins_once_the_kinds_before_it_are_served() {
        let fake = server(true);
        let mut out = Vec::new();
        install(&fake.client(), &objects(), &mut out).await.unwrap();
        let lines: Vec<String> = fake
            .calls()
            .iter()
            .map(banlieue_kit::fake::Call::line)
            .collect();
        let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        assert_eq!(
            lines,
            [
                format!("PATCH {crds}/things.example.com"),
                format!("GET {crds}"),
                "PATCH /apis/banlieue.io/v1alpha1/providerclasses/sim".to_owned(),
            ]
        );
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.lines().count(), 2, "{out}");
        assert!(out.ends_with("applied ProviderClass.banlieue.io sim\n"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_kind_that_is_never_served_ends_the_installation_by_name() {
        let fake = server(false);
        let installed = install(&fake.client(), &objects(), &mut Vec::new()).await;
        let error = installed.unwrap_err().to_string();
        assert!(error.contains("things.example.com"), "{error}");
        assert!(
            fake.calls()
                .iter()
                .all(|call| !call.path.contains("providerclasses"))
        );
    }
}
