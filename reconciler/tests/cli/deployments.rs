//! What the rendered Deployments pass is understood.

use banlieue::cli::{Cli, Command, LogFormat, ProcessArgs};
use banlieue::commands::provider;
use banlieue_schemas::access::Workload;
use banlieue_schemas::manifests::{Settings, provider_classes, provider_workload, workloads};
use banlieue_schemas::platform::{Backend, Provider, ProviderClass};
use clap::Parser;
use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;
use serde_json::{from_value, json};

/// The command that a Deployment runs.
fn parsed(deployment: &Deployment) -> Command {
    let pod = deployment.spec.as_ref().unwrap().template.spec.as_ref();
    let args = pod.unwrap().containers[0].args.clone().unwrap();
    let args = std::iter::once("banlieue".to_owned()).chain(args);
    Cli::try_parse_from(args).unwrap().command
}

fn logs_json_at_info(process: &ProcessArgs) {
    assert_eq!(process.logging.log_format, LogFormat::Json);
    assert_eq!(process.logging.log_level, "info");
}

#[test]
fn controller_and_operator() {
    let settings = Settings::default();
    match parsed(&workloads::deployment(&settings, Workload::Controller)) {
        Command::Controller(args) => logs_json_at_info(&args.process),
        other => panic!("{other:?}"),
    }
    match parsed(&workloads::deployment(&settings, Workload::Operator)) {
        Command::Operator(args) => logs_json_at_info(&args.process),
        other => panic!("{other:?}"),
    }
}

#[test]
fn provider() {
    let settings = Settings::default();
    let class = &provider_classes::defaults(&settings, &[Backend::Sim]).unwrap()[0];
    let class: ProviderClass = from_value(class.clone()).unwrap();
    let provider: Provider = from_value(json!({
        "apiVersion": "banlieue.io/v1alpha1", "kind": "Provider",
        "metadata": { "name": "east", "namespace": "prod" },
        "spec": {
            "providerClassRef": { "name": "sim" },
            "connection": { "endpoint": "sim://local" },
        },
    }))
    .unwrap();
    let deployment = provider_workload::build(&settings, &provider, &class).deployment;
    let deployment = deployment.unwrap();
    let Command::Provider(provider::Command::Sim(args)) = parsed(&deployment) else {
        panic!("another command");
    };
    logs_json_at_info(&args.process);
    assert_eq!(
        (args.namespace.as_str(), args.provider_name.as_str()),
        ("prod", "east")
    );
    let lease = args.process.election.leader_election_id;
    assert_eq!(lease, Some(deployment.name_any()));
}
